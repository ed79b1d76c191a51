/**
 * What all addresses of one client share, as far as can be known: an IPv4 address stands for itself,
 * an IPv6 address for its /64, of which whoever has one has all. Takes what `canonicalAddress` gives.
 */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  return `${address.split(":", 4).join(":")}::/64`;
}
