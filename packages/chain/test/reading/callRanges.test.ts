import { answerOfRange, callsOfRange, type Hex, wordsInRange } from "@millrace/protocols";
import { Law } from "@millrace/testing";
import { Effect } from "effect";
import { type Address, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BlockReader, callAll } from "../../src/reading/callAll.ts";
import { callRanges, type RangeCall } from "../../src/reading/callRanges.ts";
import type { Endpoint } from "../../src/rpc/Endpoints.ts";
import { Anvil, multicallCode } from "./anvil.ts";
import { rpcError } from "./scriptedEndpoints.ts";

const SELECTOR = "0x01020304";
/** Returns the storage slot of the argument. */
const READS = "600435545f5260205ff3";
const CONTRACTS = {
  reads: READS,
  /** Runs 3,000 rounds of 26 gas each first. */
  readsLate: `610bb85b600190038060035750${READS}`,
  /** Reverts for the argument 5. */
  revertsAtFive: `600435600514601357${READS}5b5f5ffd`,
  /** Returns the argument plus one. */
  counts: "6004356001015f5260205ff3",
  burnsAllGas: "fe",
  returnsTwoWords: "60405ff3",
  isEmpty: "",
} as const;
const addressOf = (name: keyof typeof CONTRACTS): Address =>
  numberToHex(0xc0de00 + Object.keys(CONTRACTS).indexOf(name), { size: 20 });
const WORDS = 2n ** 256n;

let anvil: Anvil;
let reader: BlockReader & { readonly endpoint: { readonly methods: ReadonlyArray<string> } };

beforeAll(async () => {
  anvil = await Anvil.start();
  for (const [name, code] of Object.entries(CONTRACTS)) {
    await anvil.rpc("anvil_setCode", addressOf(name as keyof typeof CONTRACTS), `0x${code}`);
  }
  const multicall = await anvil.send(multicallCode());
  const { hash } = await anvil.rpc<{ hash: Hex }>("eth_getBlockByNumber", "latest", false);
  reader = { endpoint: anvil.endpoint(), blockHash: hash, multicall };
});

afterAll(() => anvil?.stop());

const rangeOf = (name: keyof typeof CONTRACTS, first: bigint, range: number): RangeCall => {
  const word = BigInt.asUintN(256, first).toString(16).padStart(64, "0");
  return { to: addressOf(name), data: `${SELECTOR}${word}`, range };
};

let stored: ReadonlyArray<readonly [keyof typeof CONTRACTS, bigint]> = [];

/** Replaces the stored words, and mines the block that the reader then reads. */
async function store(
  words: ReadonlyMap<bigint, bigint>,
  names: ReadonlyArray<keyof typeof CONTRACTS> = ["reads"],
) {
  const gone = stored.map(([name, at]) => [name, at, 0n] as const);
  const added = [...words].flatMap(([at, word]) => names.map((name) => [name, at, word] as const));
  stored = added.map(([name, at]) => [name, at]);
  for (const [name, at, word] of [...gone, ...added]) {
    const slot = numberToHex(BigInt.asUintN(256, at), { size: 32 });
    const digits = numberToHex(word, { size: 32 });
    await anvil.rpc("anvil_setStorageAt", addressOf(name), slot, digits);
  }
  await anvil.rpc("evm_mine");
  const { hash } = await anvil.rpc<{ hash: Hex }>("eth_getBlockByNumber", "latest", false);
  reader = { ...reader, blockHash: hash };
}

const asked = (ranges: ReadonlyArray<RangeCall>, from: BlockReader = reader) =>
  Effect.runPromise(callRanges(from, ranges));

const askedOneByOne = async (ranges: ReadonlyArray<RangeCall>) => {
  const answers = [];
  for (const range of ranges) {
    answers.push(answerOfRange(await Effect.runPromise(callAll(reader, callsOfRange(range)))));
  }
  return answers;
};

describe("ranges of calls", () => {
  it("are answered as their calls are, whatever stands where", async () => {
    const law = new Law("ranges of calls against calls one by one", 10);
    for (const [, random] of law.sources()) {
      const first = -BigInt(random.integer(300));
      const words = new Map<bigint, bigint>();
      for (let count = random.integer(12); count > 0; count--) {
        const at = first + BigInt(random.integer(600));
        words.set(at, random.chance(0.2) ? WORDS - 1n : 1n << BigInt(random.integer(256)));
      }
      await store(words, ["reads", "revertsAtFive"]);
      const ranges = Array.from({ length: 1 + random.integer(5) }, () =>
        rangeOf(
          random.pick(["reads", "reads", "revertsAtFive", "burnsAllGas", "isEmpty"] as const),
          first + BigInt(random.integer(100)),
          1 + random.integer(400),
        ),
      );
      expect(await asked(ranges)).toEqual(await askedOneByOne(ranges));
    }
  });

  it("may have more words than one answer holds, and need more gas than one call has", async () => {
    const range = rangeOf("counts", 0n, 1_500);
    const words = Array.from({ length: 1_500 }, (_, at) => [at, BigInt(at + 1)]);
    const before = reader.endpoint.methods.length;
    const [whole] = await asked([range]);
    expect(wordsInRange(whole, 1_500)).toEqual(words);
    expect(reader.endpoint.methods.length - before).toBe(3);
    expect(await asked([range, range], { ...reader, gas: 3_000_000 })).toEqual([whole, whole]);
  });

  it("fail alone, and soon", async () => {
    await store(new Map([[3n, 7n]]));
    const failing = (["burnsAllGas", "returnsTwoWords", "isEmpty"] as const).flatMap((name) =>
      Array.from({ length: 3 }, () => rangeOf(name, -1_000n, 6_932)),
    );
    const fine = rangeOf("reads", 0n, 100);
    const before = reader.endpoint.methods.length;
    const answers = await asked(failing.flatMap((range) => [range, fine]));
    expect(answers.filter((_, at) => at % 2 === 0).every((answer) => answer === undefined)).toBe(
      true,
    );
    const words = answers
      .filter((_, at) => at % 2 === 1)
      .map((answer) => wordsInRange(answer, 100));
    expect(words).toEqual(failing.map(() => [[3, 7n]]));
    expect(reader.endpoint.methods.length - before).toBeLessThan(100);
  });

  it("are asked one by one where a contract needs more gas", async () => {
    await store(new Map([[5n, 9n]]), ["readsLate"]);
    const [answer] = await asked([rangeOf("readsLate", 0n, 20)]);
    expect(wordsInRange(answer, 20)).toEqual([[5, 9n]]);
  });

  it("are asked one by one where a node makes no contracts in calls", async () => {
    await store(new Map([[5n, 9n]]));
    const refuses: Endpoint = {
      name: "refuses",
      request: (method, params) =>
        (params[0] as { to?: string }).to === undefined
          ? Effect.fail(rpcError("Refused"))
          : reader.endpoint.request(method, params),
    };
    const answers = await asked([rangeOf("reads", 0n, 20)], { ...reader, endpoint: refuses });
    expect(answers.map((answer) => wordsInRange(answer, 20))).toEqual([[[5, 9n]]]);
  });

  it("are refused of a node that answers what the contract never would", async () => {
    const entry = (place: number) => numberToHex(place, { size: 4 }).slice(2) + "1".repeat(64);
    for (const answer of [
      "0x",
      "0x00000014ff",
      "0x00000015",
      `0x00000014${entry(20)}`,
      `0x00000005${entry(6)}`,
      `0x00000014${entry(3)}${entry(3)}`,
      `0x00000014${entry(3)}${entry(2)}`,
      "0xzz",
      null,
    ]) {
      const endpoint: Endpoint = { name: "lies", request: () => Effect.succeed(answer) };
      const failed = await Effect.runPromise(
        Effect.flip(callRanges({ ...reader, endpoint }, [rangeOf("reads", 0n, 20)])),
      );
      expect(failed.reason, String(answer)).toBe("BadData");
    }
  });
});
