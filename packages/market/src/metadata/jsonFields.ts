import { ADDRESS_BYTES, type Address, formatAddress, parseAddress } from "@millrace/core";

/** Fields of a JSON object; undefined for anything else. */
export function fieldsOf(json: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  return json as Readonly<Record<string, unknown>>;
}

/** A valid address of any case, in lower case; else undefined. */
export function readAddress(json: unknown): Address | undefined {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  return typeof json === "string" && parseAddress(json, bytes) ? formatAddress(bytes) : undefined;
}
