import { Effect } from "effect";
import { concat, encodeFunctionData, keccak256, numberToHex, parseAbi, slice } from "viem/utils";
import { type ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readWord } from "../chain/answers.ts";
import { tryContract } from "../chain/callContract.ts";

/** The GasPriceOracle of every chain of the OP stack. */
const ORACLE = "0x420000000000000000000000000000000000000f";
const oracleAbi = parseAbi([
  "function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)",
  "function getL1Fee(bytes data) view returns (uint256)",
]);

/** Bytes of two transactions: the fee has a minimum, above which it grows with each byte. */
const SMALL_BYTES = 512;
const LARGE_BYTES = 1_536;
const WEI_PER_BYTE_MAX = 10n ** 16n;

/**
 * What a chain of the OP stack charges for an incompressible byte of calldata, in wei: the
 * difference between two sizes, by `getL1FeeUpperBound`, or by `getL1Fee` on older chains. 0 where
 * there is no oracle. Fails when no node answers, or the oracle answers nonsense.
 */
export const readDataFee = Effect.fnUntraced(function* (chain: ChainAccess) {
  const bounds = yield* readBoth(chain, upperBound);
  if (bounds.includes("0x")) return 0n;
  const wei = perByte(bounds) ?? perByte(yield* readBoth(chain, feeOfNoise));
  if (wei !== undefined) return wei;
  const detail = "the gas price oracle tells no fee of data";
  return yield* new ChainAccessError({ reason: "Malformed", detail });
});

const readBoth = (chain: ChainAccess, ask: (byteCount: number) => `0x${string}`) =>
  Effect.forEach(
    [SMALL_BYTES, LARGE_BYTES],
    (byteCount) => tryContract(chain, { to: ORACLE, data: ask(byteCount) }),
    { concurrency: 2 },
  );

function perByte(answers: ReadonlyArray<`0x${string}` | undefined>): bigint | undefined {
  const [small, large] = answers.map((answer) => readWord(answer));
  if (small === undefined || large === undefined || large < small) return undefined;
  const wei = (large - small) / BigInt(LARGE_BYTES - SMALL_BYTES);
  return wei > WEI_PER_BYTE_MAX ? undefined : wei;
}

const upperBound = (byteCount: number) =>
  encodeFunctionData({
    abi: oracleAbi,
    functionName: "getL1FeeUpperBound",
    args: [BigInt(byteCount)],
  });

const feeOfNoise = (byteCount: number) =>
  encodeFunctionData({ abi: oracleAbi, functionName: "getL1Fee", args: [noise(byteCount)] });

/** Bytes without a pattern. */
const noise = (byteCount: number) =>
  slice(
    concat(
      Array.from({ length: Math.ceil(byteCount / 32) }, (_, place) =>
        keccak256(numberToHex(place, { size: 1 })),
      ),
    ),
    0,
    byteCount,
  );
