import { isIPv4, isIPv6 } from "node:net";

/**
 * The address in a text, in the form in which the server writes peers: IPv4, also where it is
 * mapped into IPv6, as `192.0.2.1`; IPv6 as `2001:db8:0:0:0:0:0:1`. Undefined when the text is no
 * address, or has a zone, which means something on one machine only.
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const groups = groupsOf(text);
  if (!groups.slice(0, 5).every((group) => group === 0) || groups[5] !== 0xffff) {
    return groups.map((group) => group.toString(16)).join(":");
  }
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/**
 * The key that all addresses of one client share: an IPv4 address itself, or the /64 of an IPv6
 * address, which belongs to one client as a whole. Takes the result of `canonicalAddress`.
 */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  return `${address.split(":", 4).join(":")}::/64`;
}

/**
 * The /48 of an IPv6 client's /64. Providers hand out whole /48s, which have 65,536 clients each.
 * Undefined for IPv4. Takes the result of `addressKey`.
 */
export function siteOf(key: string): string | undefined {
  return key.includes(":") ? `${key.split(":", 3).join(":")}::/48` : undefined;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const before = groupsBetween(head);
  if (tail === undefined) return before;
  const after = groupsBetween(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

/** The last part may be an IPv4 address, which is two groups. */
function groupsBetween(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
