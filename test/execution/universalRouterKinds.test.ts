import { createRequire } from "node:module";
import type { Address } from "@millrace/core";
import {
  checkCalldata,
  openRouters,
  type RouterTable,
  type SwapIntent,
  type SwapLeg,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  maxUint48,
  maxUint160,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approval } from "../contracts/ExecutorFixture.ts";
import { FamilyPools } from "../contracts/FamilyPools.ts";
import { NATIVE, type OrderLeg } from "../contracts/orders.ts";
import { back, ONE, PoolFixture } from "../contracts/PoolFixture.ts";
import { amountInOf, amountOutOf } from "../contracts/poolAnswers.ts";

// Calls of the Universal Router over pools of Uniswap V2, V3 and V4, sent to the published
// contract: inputs and outputs are those that the pools themselves had quoted.

const PATIENCE_MS = 300_000;
const DEADLINE = 2 ** 40;
const FEE_BPS = 30n;

const permit2Abi = parseAbi([
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
]);
const POOL_KEY = parseAbiParameters("address, address, uint24, int24, address");

type Route = ReadonlyArray<OrderLeg>;
/** Beside the pools: whether the ends are native, and whether a partner takes a fee. */
type Ends = Partial<Readonly<Record<"isNativeIn" | "isNativeOut" | "hasFee", boolean>>>;

describe("a swap through the Universal Router", { timeout: PATIENCE_MS }, () => {
  let stage: PoolFixture;
  let table: RouterTable;
  let router: Address;
  /** Pools of Uniswap V4, by the tokens; `n` is the native one. */
  let v4: Readonly<Record<"ab" | "bc" | "na" | "nb", OrderLeg>>;

  beforeAll(async () => {
    stage = await PoolFixture.open(12);
    const { arena, a, b, c } = stage;
    const families = await FamilyPools.open(arena);
    const depth = 50_000n * ONE;
    const pool = (tokens: readonly [Address, Address], feePips: number, tickSpacing: number) =>
      families.managed(tokens, { feePips, tickSpacing }, depth);
    v4 = {
      ab: await pool([a, b], 500, 10),
      bc: await pool([b, c], 3_000, 60),
      na: await pool([NATIVE, a], 100, 1),
      nb: await pool([NATIVE, b], 2_345, 7),
    };
    router = await arena.create(routerCode(stage, families.manager));
    const { permit2 } = arena.devnet.contracts;
    table = {
      ...{ chainId: arena.devnet.chainId, wrappedNative: arena.wrappedNative },
      universalRouter: {
        ...{ address: router, version: "2.0", permit2 },
        ...{ v2DexId: "V2", v3DexId: "V3", v4DexId: "V4" },
      },
    };
    for (const token of [a, b, c, arena.wrappedNative]) {
      const from = stage.sender;
      await arena.mustSend({ from, to: token, data: approval(permit2, maxUint256) });
      const args = [token, router, maxUint160, Number(maxUint48)] as const;
      const data = encodeFunctionData({ abi: permit2Abi, functionName: "approve", args });
      await arena.mustSend({ from, to: permit2, data });
    }
  }, PATIENCE_MS);
  afterAll(() => stage?.close());

  const legOf = (leg: OrderLeg): SwapLeg => {
    const { kind, pool, tokenIn, tokenOut, feePips = 3_000, tickSpacing = 60 } = leg;
    const [zeroForOne, hooks] = [tokenIn < tokenOut, zeroAddress];
    const plain = { tokenIn, tokenOut, zeroForOne, feePips, amountIn: ONE, amountOut: ONE };
    if (kind === "pair")
      return { ...plain, pool, parameter: 0, dexId: "V2", protocol: "constant-product" };
    if (kind !== "managed")
      return { ...plain, pool, parameter: 60, dexId: "V3", protocol: "concentrated-liquidity" };
    const currencies = zeroForOne ? ([tokenIn, tokenOut] as const) : ([tokenOut, tokenIn] as const);
    const id = keccak256(
      encodeAbiParameters(POOL_KEY, [...currencies, feePips, tickSpacing, hooks]),
    );
    return {
      ...{ ...plain, pool: id.slice(0, 42) as Address, parameter: tickSpacing },
      ...{ dexId: "V4", protocol: "uniswap-v4" },
      key: { manager: pool, fee: feePips, tickSpacing, hooks },
    };
  };

  /** An intent with the tightest limits, by the pools' answers one after the other. */
  async function intentOf(
    kind: SwapIntent["kind"],
    routes: ReadonlyArray<Route>,
    { isNativeIn = false, isNativeOut = false, hasFee = false }: Ends,
  ): Promise<SwapIntent> {
    const { arena, sender, recipient, partner } = stage;
    const paths: Array<SwapIntent["paths"][number]> = [];
    for (const [place, route] of routes.entries()) {
      const given = ONE * BigInt(place + 1);
      let other = given;
      if (kind === "exactIn") for (const leg of route) other = await amountOutOf(arena, leg, other);
      else for (const leg of route.toReversed()) other = await amountInOf(arena, leg, other);
      const [amountIn, amountOut] = kind === "exactIn" ? [given, other] : [other, given];
      const inputBound = amountIn + 5n;
      paths.push({ amountIn, amountOut, inputBound, legs: route.map(legOf) });
    }
    const sum = (side: "amountIn" | "amountOut") =>
      paths.reduce((total, path) => total + path[side], 0n);
    const [amountIn, amountOut] = [sum("amountIn"), sum("amountOut")];
    const feeAmount = hasFee ? (amountOut * FEE_BPS) / 10_000n : 0n;
    const known = (token: Address) => (token === NATIVE ? arena.wrappedNative : token);
    return {
      ...{ chainId: table.chainId, kind, sender, recipient, paths, feeAmount },
      tokenIn: known(routes[0]![0]!.tokenIn),
      tokenOut: known(routes[0]!.at(-1)!.tokenOut),
      ...{ isNativeIn, isNativeOut, wrappedNative: arena.wrappedNative, amountIn, amountOut },
      amountInMax: kind === "exactIn" ? amountIn : (amountIn * 101n) / 100n,
      amountOutMin: amountOut - feeAmount,
      ...(hasFee && { fee: { recipient: partner, bps: Number(FEE_BPS) } }),
      ...{ deadline: DEADLINE, blockNumber: 1 },
    };
  }

  async function send(intent: SwapIntent) {
    const chosen = openRouters(table).choose(intent);
    if ("refused" in chosen) throw new Error(chosen.detail);
    const call = chosen.encode(intent);
    return { call, outcome: await stage.arena.send({ ...call, from: intent.sender }) };
  }

  /** The balances of all accounts and of the router. */
  async function balances(): Promise<ReadonlyMap<string, bigint>> {
    const { arena, a, b, c, sender, recipient, partner } = stage;
    const tokens = [a, b, c, arena.wrappedNative, undefined];
    const keys = tokens.flatMap((token) =>
      [sender, recipient, partner, router].map((holder) => [token, holder] as const),
    );
    const held = await arena.balances(keys);
    return new Map(keys.map(([token, holder], place) => [`${token} ${holder}`, held[place]!]));
  }

  async function mustBeExact(
    kind: SwapIntent["kind"],
    routes: ReadonlyArray<Route>,
    ends: Ends = {},
  ) {
    const intent = await intentOf(kind, routes, ends);
    const pools = intent.paths.flatMap(({ legs }) =>
      legs.map(({ dexId, tokenIn }) => `${dexId} of ${tokenIn}`),
    );
    const told = `${kind} ${JSON.stringify(ends)} ${pools}`;
    // A limit that is one wei too tight fails, and nothing is lost.
    const tighter =
      kind === "exactIn"
        ? { ...intent, amountOutMin: intent.amountOutMin + 1n }
        : {
            ...intent,
            amountInMax: intent.amountIn - 1n,
            paths: intent.paths.map((path) => ({ ...path, inputBound: path.amountIn - 1n })),
          };
    expect((await send(tighter)).outcome.succeeded, `tighter: ${told}`).toBe(false);
    const before = await balances();
    const { call, outcome } = await send(intent);
    expect(outcome, told).toMatchObject({ succeeded: true });
    expect(checkCalldata(table, intent, undefined, call), told).toBeUndefined();
    const after = await balances();
    const { sender, recipient, partner } = stage;
    const change = (token: Address | undefined, holder: Address) => {
      const cost = token === undefined && holder === sender ? outcome.costWei : 0n;
      return after.get(`${token} ${holder}`)! - before.get(`${token} ${holder}`)! + cost;
    };
    const assetIn = intent.isNativeIn ? undefined : intent.tokenIn;
    const assetOut = intent.isNativeOut ? undefined : intent.tokenOut;
    expect(-change(assetIn, sender), told).toBe(intent.amountIn);
    const fee = change(intent.tokenOut, partner);
    const gained = change(assetOut, recipient) + fee;
    // For the least input, a pair may give a unit more than was asked.
    const isMore = kind === "exactOut" && routes.flat().some((leg) => leg.kind === "pair");
    if (isMore) expect(gained, told).toBeGreaterThanOrEqual(intent.amountOut);
    else expect(gained, told).toBe(intent.amountOut);
    expect(fee, told).toBe(ends.hasFee === true ? (gained * FEE_BPS) / 10_000n : 0n);
    const { arena, a, b, c } = stage;
    for (const token of [a, b, c, arena.wrappedNative, undefined]) {
      expect(after.get(`${token} ${router}`), told).toBe(0n);
      if (token !== assetIn) expect(change(token, sender), told).toBe(0n);
    }
  }

  it("gives an exact input what the pools of V2, V3 and V4 on its path had answered", async () => {
    const { abPair, abV3, bcPair, bcV3 } = stage.legs;
    const routes: ReadonlyArray<ReadonlyArray<Route>> = [
      [[v4.ab]],
      [[v4.ab, v4.bc]],
      [[v4.ab, bcPair]],
      [[abPair, v4.bc]],
      [[v4.ab, bcV3]],
      [[back(v4.bc), back(abV3)]],
      [
        [v4.ab, v4.bc],
        [abPair, bcV3],
        [abV3, bcPair],
      ],
    ];
    for (const route of routes) await mustBeExact("exactIn", route);
    await mustBeExact(
      "exactIn",
      [
        [abV3, v4.bc],
        [v4.ab, bcPair],
      ],
      { hasFee: true },
    );
  });

  it("takes for an exact output what the pools had answered, and gives back the rest", async () => {
    const { abPair, abV3, bcPair, bcV3 } = stage.legs;
    await mustBeExact("exactOut", [[v4.ab]]);
    await mustBeExact("exactOut", [[back(v4.bc), back(v4.ab)]]);
    await mustBeExact(
      "exactOut",
      [
        [v4.ab, v4.bc],
        [abV3, bcV3],
      ],
      { hasFee: true },
    );
    await mustBeExact("exactOut", [
      [v4.ab, v4.bc],
      [abPair, bcPair],
    ]);
  });

  it("takes native tokens as they are, wrapped or unwrapped, as the pools take them", async () => {
    const { waPair, waV3 } = stage.wrapped;
    const { abPair } = stage.legs;
    for (const isNativeIn of [true, false]) {
      for (const kind of ["exactIn", "exactOut"] as const) {
        await mustBeExact(kind, [[v4.na]], { isNativeIn });
        await mustBeExact(kind, [[v4.na, v4.ab], [v4.nb]], { isNativeIn });
        await mustBeExact(kind, [[waV3], [v4.na], [waPair]], { isNativeIn });
      }
      await mustBeExact(
        "exactIn",
        [
          [v4.na, abPair],
          [waV3, v4.ab],
        ],
        { isNativeIn, hasFee: true },
      );
    }
  });

  it("gives native tokens or wrapped ones, whichever the pools give", async () => {
    const { waPair, waV3 } = stage.wrapped;
    const { abPair } = stage.legs;
    for (const isNativeOut of [true, false]) {
      for (const kind of ["exactIn", "exactOut"] as const) {
        await mustBeExact(kind, [[back(v4.na)]], { isNativeOut });
        await mustBeExact(kind, [[back(waV3)], [back(v4.na)]], { isNativeOut });
        await mustBeExact(kind, [[back(v4.na)], [back(waPair)]], { isNativeOut, hasFee: true });
      }
      await mustBeExact("exactIn", [[back(abPair), back(v4.na)], [back(v4.nb)]], { isNativeOut });
    }
  });

  it("wraps and unwraps between pools", async () => {
    const { waPair, waV3 } = stage.wrapped;
    await mustBeExact("exactIn", [[back(waPair), v4.nb]]);
    await mustBeExact("exactIn", [[back(waV3), v4.nb], [stage.legs.abPair]], { hasFee: true });
    await mustBeExact("exactIn", [[back(v4.nb), waPair]]);
    await mustBeExact("exactIn", [[back(v4.nb), waV3]]);
  });
});

function routerCode({ arena }: PoolFixture, manager: Address): Hex {
  const require = createRequire(import.meta.url);
  const artifact = (path: string) => (require(path) as { readonly bytecode: Hex }).bytecode;
  const { permit2, v2Factory, v3Factory, positionManager } = arena.devnet.contracts;
  const { dexes } = arena.devnet;
  const hashOf = (factory: Address) => dexes.find((dex) => dex.factory === factory)!.initCodeHash!;
  return concat([
    artifact(
      "@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json",
    ),
    encodeAbiParameters(
      parseAbiParameters(
        "address, address, address, address, bytes32, bytes32, address, address, address",
      ),
      [
        ...([permit2, arena.wrappedNative, v2Factory, v3Factory] as const),
        ...([hashOf(v2Factory), hashOf(v3Factory), manager, positionManager, zeroAddress] as const),
      ],
    ),
  ]);
}
