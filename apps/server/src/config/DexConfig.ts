import { chainProtocols } from "@millrace/protocols";
import { Schema } from "effect";
import { HexAddress, integer, NonEmptyText } from "./checks.ts";

const common = {
  id: Schema.String.check(
    Schema.isPattern(/^[A-Z][A-Z0-9_]{0,63}$/u, {
      expected: "an upper-case id, such as UNISWAP_V3",
    }),
  ),
  name: NonEmptyText,
  /** The kind of its pools, such as `constant-product`. */
  protocol: NonEmptyText,
  /**
   * Address of the contract that announces new pools; where one contract holds all pools, of that.
   */
  factory: HexAddress,
  /** No pool is older. */
  startBlock: integer(0, Number.MAX_SAFE_INTEGER),
};

/** Settings of all protocols; `checkSources` knows which of them each protocol has and needs. */
const settings = Object.fromEntries(
  chainProtocols.flatMap((protocol) =>
    Object.entries(protocol.settings).map(([key, value]) => [key, Schema.optionalKey(value)]),
  ),
);

/** A DEX: the settings that every DEX has, and those of its protocol. */
export const DexConfig = Schema.Struct({ ...common, ...settings }) as unknown as Schema.Struct<
  typeof common
>;
