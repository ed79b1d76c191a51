import type { Devnet } from "@millrace/devnet";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";

/** `createPair(address,address)` and `createPool(address,address,uint24)`. */
const CREATE_PAIR = "0xc9c65396";
const CREATE_POOL = "0xa1671295";
const GAS = "0x7a1200";
/** How many of a hundred concentrated pools have each fee, about as on Ethereum. */
const V3_SHARES: ReadonlyArray<readonly [fee: number, share: number]> = [
  [100, 10],
  [500, 20],
  [3000, 40],
  [10000, 30],
];

/**
 * Creates pairs of all tokens at the constant-product DEXes (233 with the existing ones) and up to
 * `concentrated` concentrated pools. The pools stay empty: reading costs the same.
 */
export const addPools = Effect.fnUntraced(function* (devnet: Devnet, concentrated: number) {
  const { tokens, contracts, traders } = devnet;
  const pairs = tokens.flatMap((first, position) =>
    tokens.slice(position + 1).map((second) => `${word(first.address)}${word(second.address)}`),
  );
  const factories = [contracts.v2Factory, contracts.v2SisterFactory, contracts.v2ForkFactory];
  const calls = [
    ...factories.flatMap((to) => pairs.map((pair) => ({ to, data: `${CREATE_PAIR}${pair}` }))),
    ...V3_SHARES.flatMap(([fee, share]) =>
      pairs.slice(-Math.ceil((share * concentrated) / 100)).map((pair) => ({
        to: contracts.v3Factory,
        data: `${CREATE_POOL}${pair}${word(fee.toString(16))}`,
      })),
    ),
  ];
  for (const { to, data } of calls) {
    // Creating a pool that exists reverts.
    yield* send(devnet.rpcUrl, { from: traders[0]!.address, to, data, gas: GAS });
  }
});

const word = (value: string): string => value.replace(/^0x/, "").padStart(64, "0");

const send = (url: string, transaction: Readonly<Record<string, string>>) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "eth_sendTransactionSync",
          params: [transaction],
        }),
      });
      await response.text();
    },
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });
