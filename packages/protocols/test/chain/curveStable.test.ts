import { type Address, FEE_IN_STATE, REFUSED } from "@millrace/core";
import {
  calldataProtocols,
  DIVIDES_EACH,
  DIVIDES_ONCE,
  encodeStableSwap,
  type FollowedDex,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  KEEPS_ORACLE,
  legDecoders,
  type NewPool,
  TAKES_UNFINISHED,
} from "@millrace/protocols";
import { encodeAbiParameters, parseAbiParameters, toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import {
  address,
  asked,
  type Contract,
  chainOf,
  DAI,
  E18,
  FACTORY,
  isRefusal,
  list,
  log,
  META_DEPLOYED,
  NATIVE_COIN,
  ngContracts,
  ORACLE,
  onlyOne,
  openDex,
  POOL,
  plainDeployed,
  read,
  resolve,
  USDC,
  VAULT,
  WRAPPED,
  word,
} from "./curveContracts.ts";

describe("pools of StableSwap-NG on a chain", () => {
  const dex = openDex();
  const coins = [USDC, DAI];
  const contracts = ngContracts(coins, [0n, 0n]);

  it("are found in the factory's lists by the coins of its log, and listed with their decimals", () => {
    const listing = onlyOne(resolve(dex, plainDeployed(coins), contracts));
    expect(listing).toMatchObject({
      ...{ address: POOL, dexId: "CURVE", curve: "stable-swap", tokens: coins },
      ...{ feePips: FEE_IN_STATE, parameter: DIVIDES_ONCE | KEEPS_ORACLE },
    });
    expect([...listing.constants!]).toEqual([100n, 0n, 6n << 8n, 18n << 8n]);
  });

  it("are read whole: balances, rates, A, fees", () => {
    const listing = onlyOne(resolve(dex, plainDeployed(coins), contracts));
    expect(read(dex, listing, contracts)).toEqual(
      encodeStableSwap({
        balances: [10n ** 12n, 10n ** 24n],
        rates: [10n ** 30n, E18],
        amp: 20_000n,
        fee: 1_000_000n,
        offpegFeeMultiplier: 20_000_000_000n,
        adminFee: 5_000_000_000n,
      }),
    );
    for (const name of Object.keys(contracts[POOL]!)) {
      if (name === "version()") continue;
      const without: Record<Address, Contract> = {
        ...contracts,
        [POOL]: { ...contracts[POOL], [name]: undefined },
      };
      expect(read(dex, listing, without)).toBeUndefined();
    }
  });

  it("have a rate of their vault's, and another A while it ramps, at every block", () => {
    const vaulted = ngContracts([VAULT, DAI], [3n, 0n]);
    const rate = (E18 * 12n) / 10n;
    const stored = { ...vaulted[POOL], "stored_rates()": list([rate, E18]) };
    const chain: Record<Address, Contract> = { ...vaulted, [POOL]: stored };
    const listing = onlyOne(resolve(dex, plainDeployed([VAULT, DAI]), chain));
    const state = read(dex, listing, chain) as FollowedState;
    expect([state.words[4], state.words[6]]).toEqual([rate, E18]);
    const { calls, apply } = dex.eachBlock!;
    const answers = calls(listing).map(chainOf(chain));
    expect(answers).toHaveLength(2);
    expect(apply(listing, state, answers)).toBe(state);
    const grown = { ...chain[VAULT], [`convertToAssets(uint256)=${E18}`]: word(1_200_001n) };
    const later = { ...chain, [VAULT]: grown, [POOL]: { ...stored, "A_precise()": word(20_007n) } };
    const moved = apply(listing, state, calls(listing).map(chainOf(later))) as FollowedState;
    expect([moved.words[4], moved.words[8]]).toEqual([1_200_001n * 10n ** 12n, 20_007n]);
    expect(apply(listing, state, [answers[0], undefined])).toBeUndefined();
    expect(isRefusal(apply(listing, state, [`0x${"0".repeat(64)}`, answers[1]]))).toBe(true);
  });

  it("are refused where the rates are others than those that are followed", () => {
    const listing = onlyOne(resolve(dex, plainDeployed(coins), contracts));
    const odd = { ...contracts[POOL], "stored_rates()": list([10n ** 30n, E18 + 1n]) };
    expect(read(dex, listing, { ...contracts, [POOL]: odd })).toEqual({
      refused: "a rate that no rule describes",
    });
  });

  it.each([
    ["a rebasing coin", [0n, 2n], "v7.0.0"],
    ["an oracle that is not listed", [1n, 0n], "v7.0.0"],
    ["a coin of an unknown type", [4n, 0n], "v7.0.0"],
    ["an unknown version", [0n, 0n], "v8.0.0"],
  ] as const)("are refused with %s", (refused, types, text) => {
    const chain = ngContracts(coins, types, text);
    expect(resolve(dex, plainDeployed(coins), chain)).toEqual({ refused });
  });

  it("have coins of an oracle that is listed", () => {
    const oracles = { [DAI]: { contract: ORACLE, selector: toFunctionSelector("rate()") } };
    const listing = openDex({ oracles });
    const chain = ngContracts(coins, [0n, 1n]);
    const stored = { ...chain[POOL], "stored_rates()": list([10n ** 30n, (E18 * 11n) / 10n]) };
    const pool = onlyOne(resolve(listing, plainDeployed(coins), chain));
    const state = read(listing, pool, { ...chain, [POOL]: stored }) as FollowedState;
    expect(state.words[6]).toBe((E18 * 11n) / 10n);
  });

  it("of a base pool's token are taken where the coin is listed as an ordinary one", () => {
    const [base, lp] = [address("ba"), address("a3", 18)];
    const found = ngContracts([DAI, lp], []);
    const chain: Record<Address, Contract> = {
      ...found,
      [FACTORY]: {
        ...found[FACTORY],
        [`find_pool_for_coins(address,address,uint256)=${DAI},${USDC},0`]: word(POOL),
        [`get_base_pool(address)=${BigInt(POOL)}`]: word(base),
        [`get_pool_asset_types(address)=${BigInt(POOL)}`]: list([0n, 0n]),
      },
      [base]: { "coins(uint256)=0": word(USDC), "get_virtual_price()": word(E18 + 7n) },
      [POOL]: { ...found[POOL], "stored_rates()": list([E18, E18 + 7n]) },
    };
    const data = encodeAbiParameters(
      parseAbiParameters("address, address, uint256, uint256, address"),
      [DAI, base, 200n, 1n, POOL],
    );
    const refused = "a metapool of a coin that is not listed";
    expect(resolve(dex, log(META_DEPLOYED, data), chain)).toEqual({ refused });
    const lenient = openDex({ ordinaryCoins: [DAI] });
    const listing = onlyOne(resolve(lenient, log(META_DEPLOYED, data), chain));
    expect(listing.tokens).toEqual([DAI, lp]);
    expect((read(lenient, listing, chain) as FollowedState).words[6]).toBe(E18 + 7n);
    const calls = lenient.eachBlock!.calls(listing);
    expect(calls.map(({ to }) => to)).toEqual([POOL, base]);
  });

  it("are no other contract's to tell of, and none in a log that is malformed", () => {
    const good = plainDeployed(coins);
    for (const bad of [
      { ...good, address: POOL },
      { ...good, topics: [...good.topics, good.topics[0]!] },
      { ...good, data: `${good.data}00` as Hex },
      { ...good, data: good.data.slice(0, -64) as Hex },
      plainDeployed([USDC]),
      plainDeployed([USDC, USDC]),
      plainDeployed([USDC, address("0")]),
    ]) {
      expect(dex.decodeCreation(bad)).toBeUndefined();
    }
  });

  it("are read again after each log, and tell of swaps between any two coins", () => {
    const listing = onlyOne(resolve(dex, plainDeployed(coins), contracts));
    const exchanged = (sold: bigint, bought: bigint) =>
      log(
        "TokenExchange(address,int128,uint256,int128,uint256)",
        encodeAbiParameters(parseAbiParameters("int128, uint256, int128, uint256"), [
          sold,
          5n,
          bought,
          4n,
        ]),
        [`0x${"0".repeat(64)}`],
        POOL,
      );
    const swap = exchanged(1n, 0n);
    expect(dex.poolTopics).toContain(swap.topics[0]);
    expect(new Set(dex.poolTopics).size).toBe(dex.poolTopics.length);
    expect(dex.readsAgain!(swap)).toBe(true);
    expect(dex.applyLog(listing, { words: new BigUint64Array(12) }, swap)).toBe(IMPOSSIBLE);
    expect(dex.decodeSwap(listing, swap, undefined)).toEqual({
      ...{ positionIn: 1, positionOut: 0, amountIn: 5n, amountOut: 4n, priceAfter: 0 },
    });
    for (const odd of [exchanged(0n, 0n), exchanged(2n, 0n), exchanged(-1n, 0n)]) {
      expect(dex.decodeSwap(listing, odd, undefined)).toBeUndefined();
    }
  });

  it("have reserves of the same worth by their price, and are asked what they give", () => {
    const listing = onlyOne(resolve(dex, plainDeployed(coins), contracts));
    const answers = dex.shallowRead(listing).map(chainOf(contracts));
    const [usdc, dai] = dex.virtualReserves(listing, answers) as [bigint, bigint];
    expect(Number(dai) / Number(usdc) / 1e12).toBeCloseTo(1, 9);
    // Far more than it holds: its price hardly moves.
    expect(usdc).toBeGreaterThan(10n ** 13n);
    expect(dex.virtualReserves(listing, [])).toBeUndefined();
    const quote = dex.quoteCall!(listing, 1, 0, 77n)!;
    expect(quote.call.data).toBe(
      toFunctionSelector("get_dy(int128,int128,uint256)") +
        [1n, 0n, 77n].map((each) => each.toString(16).padStart(64, "0")).join(""),
    );
    expect(quote.amountOut(`0x${"0".repeat(63)}5`)).toBe(5n);
    expect(quote.amountOut(undefined)).toBe(REFUSED);
  });
});

describe("older pools of Curve that are configured", () => {
  const contracts: Record<Address, Contract> = {
    [POOL]: {
      "coins(uint256)=0": word(NATIVE_COIN),
      "coins(uint256)=1": word(DAI),
      "coins(uint256)=2": word(USDC),
      "balances(uint256)=0": word(3n * E18),
      "balances(uint256)=1": word(4n * E18),
      "balances(uint256)=2": word(5_000_000n),
      "A()": word(100n),
      "A_precise()": word(10_000n),
      "fee()": word(4_000_000n),
      "admin_fee()": word(5_000_000_000n),
    },
    [DAI]: { "decimals()": word(18n) },
    [USDC]: { "decimals()": word(6n) },
  };
  const resolved = (dex: FollowedDex) => {
    const [creation] = dex.configured!;
    if (creation === undefined || !("resolve" in creation)) throw new Error("not to be resolved");
    return asked(creation.resolve(), chainOf(contracts)) as NewPool;
  };

  it.each([
    ["plain-2020", DIVIDES_EACH | TAKES_UNFINISHED, 1n, 100n],
    ["plain", DIVIDES_EACH, 100n, 10_000n],
    ["plain-optimized", DIVIDES_ONCE, 100n, 10_000n],
  ] as const)("are read as their version, %s, has it", (name, rules, precision, amp) => {
    const dex = openDex({ pools: { [POOL]: name } });
    expect(dex.creationTopics).toEqual([]);
    const { listing } = resolved(dex);
    expect(listing).toMatchObject({ tokens: [WRAPPED, DAI, USDC], parameter: rules });
    expect(listing.constants![0]).toBe(precision);
    expect(read(dex, listing, contracts)).toEqual(
      encodeStableSwap({
        balances: [3n * E18, 4n * E18, 5_000_000n],
        rates: [E18, E18, 10n ** 30n],
        ...{ amp, fee: 4_000_000n, offpegFeeMultiplier: 0n, adminFee: 5_000_000_000n },
      }),
    );
    // `get_dy` of the oldest is not what a swap gives.
    expect(dex.quoteCall!(listing, 0, 1, 5n) === undefined).toBe(name === "plain-2020");
    const { holdsNative } = calldataProtocols.find((each) => each.name === "curve-stable")!;
    expect(holdsNative!(listing)).toBe(true);
  });

  it("are no settings of a version that there is not", () => {
    expect(() => openDex({ pools: { [POOL]: "newest" } })).toThrow();
    expect(() =>
      openDex({ oracles: { [DAI]: { contract: ORACLE, selector: "rate()" } } }),
    ).toThrow();
  });
});

describe("a leg through a pool of Curve's", () => {
  const calldata = calldataProtocols.find(({ name }) => name === "curve-stable")!;
  const decoder = legDecoders.find(({ name }) => name === "curve-stable")!;
  const leg = { pool: POOL, tokenOut: DAI, feePips: 0, parameter: 0 } as const;

  it("says the places of its coins, and is none where they are not two", () => {
    const digits = calldata.executorLeg({
      ...leg,
      zeroForOne: false,
      positionIn: 3,
      positionOut: 7,
    });
    expect(digits).toBe(`06${POOL.slice(2)}${DAI.slice(2)}37`);
    expect(decoder.read(digits, USDC)).toEqual({
      ...{ target: POOL, pool: POOL, tokenOut: DAI, zeroForOne: false },
      ...{ positionIn: 3, positionOut: 7 },
    });
    expect(decoder.read(digits.replace(/37$/, "33"), USDC)).toBeUndefined();
    expect(decoder.read(digits.replace(/37$/, "07"), USDC)).toBeUndefined();
    expect(decoder.read(digits.replace(/^06/, "07"), USDC)).toBeUndefined();
  });
});
