import { BlockList, isIP } from "node:net";
import { canonicalAddress } from "./canonicalAddress.ts";

/** The proxies that are trusted to say who the client is. */
export class TrustedProxies {
  readonly #ranges = new BlockList();
  /** What was found of addresses lately: a look at the ranges takes a microsecond. */
  readonly #found = new Map<string, boolean>();
  readonly isEmpty: boolean;

  /** Addresses, and ranges of them such as `10.0.0.0/8`: see `isAddressRange`. */
  constructor(ranges: ReadonlyArray<string>) {
    this.isEmpty = ranges.length === 0;
    for (const range of ranges) {
      const { address, prefixBits, family } = partsOf(range)!;
      this.#ranges.addSubnet(address, prefixBits, family);
    }
  }

  /**
   * The address of a request's client: the peer's own, unless the peer is a trusted proxy. Each
   * proxy appends the address that it speaks for to `X-Forwarded-For`. The rightmost entry that is
   * not a proxy's is therefore the last one that a trusted proxy wrote; entries left of it are the
   * client's claims. Where an entry is no address, the proxy that wrote it stands for all its
   * clients. Only this header counts: with two, a client could send the one that its proxy does not
   * know.
   */
  clientAddress(peerAddress: string, forwardedFor: () => string): string {
    let address = peerAddress;
    if (!this.includes(address)) return address;
    const hops = forwardedFor().split(",");
    for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
      const next = canonicalAddress(withoutPort(hop.trim()));
      if (next === undefined) return address;
      address = next;
      if (!this.includes(address)) return address;
    }
    return address;
  }

  includes(address: string): boolean {
    if (this.isEmpty) return false;
    const found = this.#found.get(address);
    return found ?? this.#look(address);
  }

  #look(address: string): boolean {
    const found = this.#ranges.check(address, address.includes(":") ? "ipv6" : "ipv4");
    if (this.#found.size >= FOUND_MAX) this.#found.clear();
    // A copy: a part of a header would keep the whole header.
    this.#found.set(Buffer.from(address).toString(), found);
    return found;
  }
}

/** With so many addresses remembered, all are forgotten. */
const FOUND_MAX = 1_024;

/** Whether a text is an address, or a range of addresses: one with the length of its prefix. */
export const isAddressRange = (text: string): boolean => partsOf(text) !== undefined;

function partsOf(range: string) {
  const [, text = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const version = isIP(text);
  if (version === 0 || canonicalAddress(text) === undefined) return undefined;
  const bitsMax = version === 4 ? 32 : 128;
  const prefixBits = bits === undefined ? bitsMax : Number(bits);
  if (prefixBits > bitsMax) return undefined;
  return { address: text, prefixBits, family: version === 4 ? "ipv4" : "ipv6" } as const;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1];
  return bracketed ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop;
}
