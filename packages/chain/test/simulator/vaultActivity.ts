import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { POOLS, type SimulatedPool, STRANGERS } from "./contracts.ts";
import type { RawLog } from "./Deed.ts";
import type { ModuleState, SimulatedState, VaultState } from "./poolStates.ts";
import { MODULE, MOVING_VAULT, STILL_VAULT, VAULT_TOPICS } from "./vaultContracts.ts";
import { addressWord, hexOf, word } from "./words.ts";

type Pools = Map<Address, SimulatedState>;

const FEE_MAX = 900;
const VAULT_POOLS = POOLS.filter(({ kind }) => kind === "vault");

/** One transaction with the vaults; often one that changes a single pool. */
export function vaultActivity(dice: RandomSource, pools: Pools): RawLog[] {
  const absent = VAULT_POOLS.filter(({ address }) => !pools.has(address));
  const present = VAULT_POOLS.filter(({ address }) => pools.has(address));
  const draw = dice.next();
  if (absent.length > 0 && (present.length === 0 || draw < 0.3)) {
    return create(dice, dice.pick(absent), pools);
  }
  if (draw < 0.36) return createHooked(dice, pools);
  if (draw < 0.44) return spoofVault(dice);
  if (draw < 0.6) return moduleActivity(dice, pools);
  const pool = dice.pick(present.length > 0 ? present : [VAULT_POOLS[0]!]);
  const state = pools.get(pool.address);
  return state?.kind === "vault" ? poolActivity(dice, pool, state, pools) : [];
}

function create(dice: RandomSource, pool: SimulatedPool, pools: Pools): RawLog[] {
  const { baseFee } = moduleIn(pools);
  const reserves = { reserve0: dice.amount(100), reserve1: dice.amount(100) };
  pools.set(pool.address, { kind: "vault", ...reserves, baseFee, paused: false, burns: false });
  const tokens = pool.hidden ? [word(0), word(0)] : [pool.token0, pool.token1].map(addressWord);
  const numbers = pool.hidden ? [0, 0, 0] : [reserves.reserve0, reserves.reserve1, baseFee];
  const data = hexOf(...tokens, ...numbers.map(word), word(pool.hidden ? 1 : 0));
  const topics = [VAULT_TOPICS.initialize, pool.id!];
  return [{ address: pool.dex.factory, topics, data }];
}

function createHooked(dice: RandomSource, pools: Pools): RawLog[] {
  const { id, factory } = dice.pick([STILL_VAULT, MOVING_VAULT]);
  const module = moduleIn(pools);
  const hooks = new Map(module.hooks).set(id, (module.hooks.get(id) ?? 0) + 1);
  pools.set(MODULE, { ...module, hooks });
  const data = hexOf(...[1, 2, 3, 4, 5, 2].map(word));
  return [{ address: factory, topics: [VAULT_TOPICS.initialize, dice.hex(32)], data }];
}

/** Logs of other pools, and of other contracts. */
function spoofVault(dice: RandomSource): RawLog[] {
  const { id, dex } = dice.pick(VAULT_POOLS);
  const data = hexOf(...[7, 8, 0].map(word));
  return [
    dice.pick<RawLog>([
      { address: dice.pick(STRANGERS), topics: [VAULT_TOPICS.changed, id!], data },
      { address: dice.pick(STRANGERS), topics: [VAULT_TOPICS.traded, id!], data },
      { address: dice.pick(STRANGERS), topics: [VAULT_TOPICS.feesSet], data: hexOf(word(5)) },
      { address: dice.pick(STRANGERS), topics: [VAULT_TOPICS.paused], data: hexOf(word(1)) },
      { address: dice.pick(STRANGERS), topics: [VAULT_TOPICS.initialize, dice.hex(32)], data },
      { address: dex.factory, topics: [VAULT_TOPICS.changed, dice.hex(32)], data },
      { address: dex.factory, topics: [VAULT_TOPICS.changed], data },
      { address: dex.factory, topics: [VAULT_TOPICS.initialize, dice.hex(32)], data },
    ]),
  ];
}

/** The changes of one log to all pools of both vaults. */
function moduleActivity(dice: RandomSource, pools: Pools): RawLog[] {
  const module = moduleIn(pools);
  const change = (changed: (state: VaultState) => Partial<VaultState>) => {
    for (const [address, state] of pools) {
      if (state.kind === "vault") pools.set(address, { ...state, ...changed(state) });
    }
  };
  const told = (topic: Hex, value?: number): RawLog[] => [
    { address: MODULE, topics: [topic], data: value === undefined ? "0x" : hexOf(word(value)) },
  ];
  const draw = dice.next();
  if (draw < 0.4) {
    const baseFee = dice.integer(FEE_MAX);
    change(() => ({ baseFee }));
    pools.set(MODULE, { ...module, baseFee });
    return told(VAULT_TOPICS.feesSet, baseFee);
  }
  if (draw < 0.6) {
    change(() => ({ baseFee: dice.integer(FEE_MAX) }));
    return told(VAULT_TOPICS.shuffled);
  }
  const isPaused = !module.isPaused;
  change(() => ({ paused: isPaused }));
  pools.set(MODULE, { ...module, isPaused });
  return told(VAULT_TOPICS.paused, isPaused ? 1 : 0);
}

function poolActivity(
  dice: RandomSource,
  { address, dex, id }: SimulatedPool,
  state: VaultState,
  pools: Pools,
): RawLog[] {
  const log = (topic: Hex, ...words: ReadonlyArray<bigint | number>): RawLog => ({
    address: dex.factory,
    topics: [topic, id!],
    data: hexOf(...words.map(word)),
  });
  const draw = dice.next();
  if (draw < 0.1) {
    // Without any log: from now on its fee cannot be read.
    pools.set(address, { ...state, burns: dex.id === MOVING_VAULT.id });
    return [];
  }
  const reserves = { reserve0: 1n + dice.amount(100), reserve1: 1n + dice.amount(100) };
  if (draw < 0.4) {
    pools.set(address, { ...state, ...reserves, baseFee: dice.integer(FEE_MAX) });
    return [log(VAULT_TOPICS.touched), ...(dice.chance(0.3) ? [log(VAULT_TOPICS.touched)] : [])];
  }
  pools.set(address, { ...state, ...reserves });
  const changed = log(VAULT_TOPICS.changed, reserves.reserve0, reserves.reserve1);
  if (draw < 0.6) return [changed];
  const zeroForOne = dice.chance(0.5);
  const [amountIn, amountOut] = [1n + dice.amount(90), 1n + dice.amount(90)];
  const traded = log(VAULT_TOPICS.traded, amountIn, amountOut, zeroForOne ? 0 : 1);
  const price = Number(reserves.reserve1) / Number(reserves.reserve0);
  const priceAfter = zeroForOne ? price : 1 / price;
  const swap = { pool: address, zeroForOne, amountIn, amountOut, priceAfter };
  return [changed, { ...traded, swap }];
}

function moduleIn(pools: Pools): ModuleState {
  const state = pools.get(MODULE);
  if (state?.kind === "module") return state;
  return { kind: "module", baseFee: 0, isPaused: false, hooks: new Map() };
}
