import { type Address, type PoolIndex, recomputeRoute, type TokenIndex } from "@millrace/core";
import {
  routeShape,
  type SwapCall,
  type SwapIntent,
  type SwapOrder,
  swapGas,
} from "@millrace/execution";
import { Effect } from "effect";
import { encodeFunctionData, maxUint256, numberToHex, parseAbi } from "viem";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { GAS_ROUTES, type GasHop, type GasRoute } from "./gasRoutes.ts";
import { olderRouterCall } from "./olderRouters.ts";
import { rpc } from "./rpc.ts";
import { orderOf, type SwapFixture } from "./swapFixture.ts";

/**
 * The input is one token divided by this: too little to change a pool's tick. So each swap finds
 * the pools as the one before did, except for the slots that only a first swap fills.
 */
const SHARE_IN = 100n;
const SMOKE_ROUTES = 2;
const GAS = numberToHex(16_777_216);
/** The recipient of fees; it holds some of every token. */
const PARTNER: Address = `0x${"feed0001".padStart(40, "0")}`;
const erc20Abi = parseAbi([
  "function approve(address spender, uint256 amount)",
  "function transfer(address to, uint256 amount)",
]);

/**
 * Gas of one transaction for each route through each router that can execute it. The sender holds
 * both tokens and has given approvals, and the pools have been traded before.
 */
export const measureGas = Effect.fnUntraced(function* (fixture: SwapFixture, smoke: boolean) {
  yield* prepare(fixture);
  const figures: Figure[] = [];
  for (const route of smoke ? GAS_ROUTES.slice(0, SMOKE_ROUTES) : GAS_ROUTES) {
    figures.push(...(yield* measureRoute(fixture, route)));
  }
  return figures;
});

const prepare = Effect.fnUntraced(function* ({ devnet, sender, table }: SwapFixture) {
  const calls = devnet.tokens.flatMap(({ address: to }) => [
    { to, functionName: "approve", args: [table.executor!, maxUint256] } as const,
    { to, functionName: "transfer", args: [PARTNER, 1_000n] } as const,
  ]);
  for (const { to, ...call } of calls) {
    const data = encodeFunctionData({ abi: erc20Abi, ...call });
    yield* send(devnet.rpcUrl, sender, { to, data, value: 0n });
  }
});

const measureRoute = Effect.fnUntraced(function* (fixture: SwapFixture, route: GasRoute) {
  const { devnet, sender } = fixture;
  const { order, typicalGas } = orderOfRoute(fixture, route);
  const { calls, paths } = callsOf(fixture, order);
  const name = `swaps.gas.${route.name}`;
  // The first swap fills the slots.
  yield* send(devnet.rpcUrl, sender, calls.get("executor")!);
  const figures: Figure[] = [];
  for (const [router, call] of calls) {
    const value = yield* send(devnet.rpcUrl, sender, call);
    figures.push({ name: `${name}.${router}`, value, unit: "gas" });
  }
  const [own, older] = [figures[0]!, figures.find(({ name }) => name.endsWith("older-router"))];
  if (older !== undefined) {
    figures.push({
      name: `${name}.executor-to-older`,
      value: own.value / older.value,
      unit: "ratio",
    });
  }
  const shape = {
    ...({ kind: order.kind, router: "executor", hasFee: order.fee !== undefined } as const),
    isNativeIn: order.isNativeIn,
    isNativeOut: order.isNativeOut,
    ...routeShape(paths),
  };
  const estimate = Math.round(swapGas(shape, typicalGas));
  figures.push({ name: `${name}.executor-estimate`, value: estimate, unit: "gas" });
  return figures;
});

function orderOfRoute(fixture: SwapFixture, { from, paths, ...wishes }: GasRoute) {
  const { devnet, market } = fixture;
  const { decimals, address } = devnet.tokens.find(({ symbol }) => symbol === from)!;
  const amount = 10n ** BigInt(decimals) / SHARE_IN / BigInt(paths.length);
  const plan = paths.map((hops) => ({ amount, hops: hopsOf(fixture, address, hops) }));
  const forward = recomputeRoute(market, { kind: "exactIn", paths: plan });
  if (!forward.filled) throw new Error(`${forward.reason} in ${from}`);
  const kind = wishes.kind ?? "exactIn";
  const order: SwapOrder = {
    ...orderOf(fixture, kind, { ...forward, steps: forward.paths.flat() }),
    isNativeIn: wishes.isNativeIn ?? false,
    isNativeOut: wishes.isNativeOut ?? false,
    ...(wishes.feeBps !== undefined && { fee: { recipient: PARTNER, bps: wishes.feeBps } }),
    // The market has moved a little when the order is sent a second time.
    slippagePpm: 50_000,
  };
  return { order, typicalGas: forward.typicalGas };
}

function hopsOf(
  { devnet, market: { graph } }: SwapFixture,
  from: Address,
  hops: ReadonlyArray<GasHop>,
) {
  let tokenIn = from;
  return hops.map(({ dexId, to, feePips }) => {
    const tokenOut = devnet.tokens.find(({ symbol }) => symbol === to)!.address;
    const { address } = devnet.pools.find(
      (pool) =>
        pool.dexId === dexId &&
        [pool.token0, pool.token1].includes(tokenIn) &&
        [pool.token0, pool.token1].includes(tokenOut) &&
        (feePips === undefined || pool.fee === feePips),
    )!;
    const hop = {
      pool: graph.findPool(address) as PoolIndex,
      tokenIn: graph.findToken(tokenIn) as TokenIndex,
      tokenOut: graph.findToken(tokenOut) as TokenIndex,
    };
    tokenIn = tokenOut;
    return hop;
  });
}

/** Our executor's call first, then those of all other routers that can execute the route. */
function callsOf(fixture: SwapFixture, order: SwapOrder) {
  const { executor, universalRouter, ...bare } = fixture.table;
  const calls = new Map<string, SwapCall>();
  let paths: SwapIntent["paths"] = [];
  for (const [name, table] of [
    ["executor", { ...bare, executor: executor! }],
    ["universal-router", { ...bare, universalRouter: universalRouter! }],
  ] as const) {
    const built = fixture.buildThrough(order, table);
    if (built.refused) {
      if (name === "executor") throw new Error(`${built.code}: ${built.detail}`);
      continue;
    }
    calls.set(name, built.swap);
    paths = built.intent.paths;
  }
  const older = olderRouterCall(fixture, order);
  if (older !== undefined) calls.set("older-router", older);
  return { calls, paths };
}

/** Sends a transaction; gives the gas that it used. */
const send = Effect.fnUntraced(function* (
  url: string,
  from: Address,
  { to, data, value }: SwapCall,
) {
  const transaction = { from, to, data, value: numberToHex(value), gas: GAS };
  const receipt = yield* rpc<{ readonly status: string; readonly gasUsed: string }>(
    url,
    "eth_sendTransactionSync",
    [transaction],
  );
  if (receipt.status !== "0x1") {
    return yield* new BenchmarkError({ message: `a transaction to ${to} reverted` });
  }
  return Number(receipt.gasUsed);
});
