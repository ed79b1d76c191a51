/**
 * The text of an address of 4 or 16 bytes; one peer always has the same. IPv4 as `192.0.2.1`, also
 * where it comes mapped into IPv6 (RFC 4291, section 2.5.5.2); IPv6 as `2001:db8:0:0:0:0:0:1`.
 */
export function peerAddress(bytes: ArrayBuffer): string {
  const view = new Uint8Array(bytes);
  if (view.length === 4) return view.join(".");
  if (isMapped(view)) return view.subarray(12).join(".");
  const groups: string[] = [];
  for (let at = 0; at + 1 < view.length; at += 2) {
    groups.push(((view[at]! << 8) | view[at + 1]!).toString(16));
  }
  return groups.join(":");
}

const isMapped = (view: Uint8Array): boolean =>
  view.length === 16 &&
  view[10] === 255 &&
  view[11] === 255 &&
  view.subarray(0, 10).every((byte) => byte === 0);
