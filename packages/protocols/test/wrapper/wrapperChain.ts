import { type Address, NO_HASH, openMarket, type PoolListing } from "@millrace/core";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type Creation,
  chainProtocols,
  curves,
  type FollowedDex,
  type FollowedState,
  type NewPool,
  type PoolRefusal,
} from "@millrace/protocols";
import { toFunctionSelector } from "viem";

/** Answers calls as contracts do, by the functions that they have; the rest reverts. */
export type Contract = Readonly<Record<string, (argument: bigint) => bigint | undefined>>;

export const address = (digits: string): Address => `0x${digits.repeat(20)}`;

/** What a contract answers: one word, or nothing where it reverts. */
export function answersOf(contracts: ReadonlyMap<Address, Contract>) {
  return ({ to, data }: ChainCall): CallAnswer => {
    const functions = Object.entries(contracts.get(to) ?? {});
    const called = functions.find(([name]) => data.startsWith(toFunctionSelector(name)));
    const value = called?.[1](data.length > 10 ? BigInt(`0x${data.slice(10)}`) : 0n);
    return value === undefined ? undefined : `0x${value.toString(16).padStart(64, "0")}`;
  };
}

export function asked<A>(asking: Asking<A>, answer: (call: ChainCall) => CallAnswer): A {
  let step = asking.next();
  while (!step.done) step = asking.next(step.value.map(answer));
  return step.value;
}

export function openDex(protocol: string, settings: object): FollowedDex {
  const chain = chainProtocols.find(({ name }) => name === protocol)!;
  const dex = { id: "WRAPPERS", name: "Wrappers", protocol, factory: address("fa") };
  return chain.open({ ...dex, startBlock: 0, ...settings }, address("ee"));
}

/** What is found out of a configured pool. */
export function resolved(
  creation: Creation,
  answer: (call: ChainCall) => CallAnswer,
): NewPool | PoolRefusal | undefined {
  if (!("resolve" in creation)) throw new Error("all of it is told");
  const found = asked(creation.resolve(), answer);
  if (found !== undefined && "length" in found) throw new Error("it may be of several pools");
  return found;
}

/** What an engine quotes of a pool in a state, by the position of what goes in. */
export function quotedBy(listing: PoolListing, { words }: FollowedState) {
  const { graph, families, writer } = openMarket(1, curves);
  const { rejected } = writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [{ id: "WRAPPERS", name: "", protocol: "erc4626", factory: address("fa") }],
    tokens: listing.tokens.map((token) => ({
      ...{ address: token, decimals: 18, symbol: "", name: "" },
    })),
    pools: [listing],
    removedPools: [],
    states: [{ pool: listing.address, state: { words } }],
    ...{ swaps: [], supplies: [] },
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  const pool = graph.findPool(listing.address)!;
  const family = families[graph.poolCurve[pool]!]!;
  return (positionIn: number, amountIn: bigint) =>
    family.quoteExactIn(pool, positionIn, 1 - positionIn, amountIn);
}
