import { concat, type Hex, numberToHex } from "viem";
import { slipstreamPoolAbi } from "../src/contracts/familyAbis.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import type { FamilyBench } from "./FamilyBench.ts";

/** Slots of `SlipstreamPool.sol`: the first, and the first of the observations. */
const SLOT0 = 0n;
const OBSERVATIONS = 13n;

/** Has a pool remember these sums of ticks 600 seconds ago and now, among so many observations. */
export async function rememberTicks(
  bench: FamilyBench,
  pool: FamilyPool,
  cardinality: number,
  [then, now]: readonly [bigint, bigint],
): Promise<void> {
  const time = Number((await bench.block()).timestamp);
  const store = (slot: bigint, ...words: ReadonlyArray<Hex>) =>
    bench.request("anvil_setStorageAt", [
      ...[pool.address, numberToHex(slot, { size: 32 }), concat(words)],
    ]);
  const asked = { abi: slipstreamPoolAbi, functionName: "slot0" } as const;
  const [sqrtPriceX96, tick] = await bench.read(pool.address, asked);
  const signed = (value: number, bytes: number) =>
    numberToHex(BigInt.asUintN(8 * bytes, BigInt(value)), { size: bytes });
  const index = 1;
  await store(
    SLOT0,
    ...[signed(1, 3), signed(cardinality, 2), signed(cardinality, 2), signed(index, 2)],
    ...[signed(tick, 3), numberToHex(sqrtPriceX96, { size: 20 })],
  );
  for (const [place, seconds, sum] of [
    [0n, time - 600, then],
    [1n, time, now],
  ] as const)
    await store(
      OBSERVATIONS + place,
      ...[signed(1, 1), signed(0, 20), signed(Number(sum), 7), signed(seconds, 4)],
    );
  await bench.request("evm_setNextBlockTimestamp", [time]);
}
