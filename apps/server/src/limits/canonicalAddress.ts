import { isIPv4, isIPv6 } from "node:net";

/**
 * An address of a text, in the form in which the server writes peers: IPv4 as `192.0.2.1`, also
 * where it comes mapped into IPv6, IPv6 as `2001:db8:0:0:0:0:0:1`. Undefined when it is none, or
 * has a zone: that means something on one machine only.
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
 * What all addresses of one client share, as far as can be known: an IPv4 address stands for
 * itself, an IPv6 address for its /64, of which whoever has one has all. Takes what
 * `canonicalAddress` gives.
 */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  return `${address.split(":", 4).join(":")}::/64`;
}

/**
 * The /48 that an IPv6 client's /64 is in, as providers hand them out: who has one has 65,536
 * clients. Undefined for IPv4. Takes what `addressKey` gives.
 */
export function siteOf(key: string): string | undefined {
  return key.includes(":") ? `${key.split(":", 3).join(":")}::/48` : undefined;
}

/** The eight groups of an IPv6 address that is known to be one. */
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
