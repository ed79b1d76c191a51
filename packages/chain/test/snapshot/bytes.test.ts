import { createHash } from "node:crypto";
import { assert, describe, it } from "@effect/vitest";
import { law } from "@millrace/testing";
import { Effect, Fiber, Result } from "effect";
import fc from "fast-check";
import type { ChainSnapshot } from "../../src/snapshot/ChainSnapshot.ts";
import { decodeChainSnapshot } from "../../src/snapshot/decodeChainSnapshot.ts";
import { encodeChainSnapshot } from "../../src/snapshot/encodeChainSnapshot.ts";
import { anySnapshot } from "./anySnapshot.ts";
import { address, concentrated, pool, smallSnapshot, sorted } from "./snapshots.ts";

const encode = (snapshot: ChainSnapshot) => Effect.runPromise(encodeChainSnapshot(snapshot));

/** The result of decoding: a snapshot, or the reason of the refusal. Rejects for a defect. */
const outcome = async (bytes: Uint8Array) => {
  const result = await Effect.runPromise(Effect.result(decodeChainSnapshot(bytes)));
  return Result.isSuccess(result) ? result.success : result.failure.reason;
};

describe("the bytes of a chain's snapshot", () => {
  it("give the snapshot again, whatever is in it", async () => {
    await fc.assert(
      fc.asyncProperty(anySnapshot, async (snapshot) => {
        assert.deepStrictEqual(await outcome(await encode(snapshot)), sorted(snapshot));
      }),
      law("chain snapshots: given again", 80).options,
    );
  });

  it("are the same for equal snapshots, whatever the order and case they are given in", async () => {
    const disorder = fc.func(fc.nat());
    await fc.assert(
      fc.asyncProperty(anySnapshot, disorder, async (snapshot, key) => {
        const shuffled = <A>(items: ReadonlyArray<A>): A[] =>
          items
            .map((item, index) => ({ item, rank: key(index) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ item }) => item);
        const upper = (text: string) => `0x${text.slice(2).toUpperCase()}` as const;
        const other = {
          ...snapshot,
          discovered: shuffled(snapshot.discovered),
          tokens: shuffled(snapshot.tokens).map((token) => ({
            ...token,
            address: upper(token.address),
          })),
          states: shuffled(snapshot.states).map(({ pool, state }) => ({
            pool: upper(pool),
            state,
          })),
        };
        assert.deepStrictEqual(await encode(other), await encode(snapshot));
      }),
      law("chain snapshots: equal bytes", 25).options,
    );
  });

  it("sort many pools as their texts sort, those with long common beginnings too", async () => {
    const numbers = fc
      .sample(fc.bigInt(0n, 2n ** 160n - 1n), law("chain snapshots: sorted pools", 3_000).options)
      .flatMap((number) => [number, number % 5_000n, (number % 3_000n) << 96n]);
    const addresses = [...new Set(numbers)].map(address);
    const discovered = addresses.map((each) => {
      const { listing, createdBlock } = pool(0, "PAIRS", [1, 2]);
      return { listing: { ...listing, address: each }, createdBlock };
    });
    const decoded = await outcome(await encode({ ...smallSnapshot(), discovered, states: [] }));
    assert(typeof decoded === "object");
    assert.deepStrictEqual(
      decoded.discovered.map(({ listing }) => listing.address),
      addresses.toSorted(),
    );
  });

  it("are refused with any bit flipped", async () => {
    const bytes = await encode(smallSnapshot());
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      const reason = await outcome(bytes);
      const expected = bit < 64 ? "NotASnapshot" : bit < 96 ? "UnknownVersion" : "Damaged";
      assert.strictEqual(reason, expected, `bit ${bit}`);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
    }
    assert.deepStrictEqual(await outcome(bytes), sorted(smallSnapshot()));
  });

  it("are refused when cut at any length, or added to", async () => {
    const bytes = await encode(smallSnapshot());
    for (let length = 0; length < bytes.length; length++) {
      const reason = await outcome(bytes.subarray(0, length));
      assert.strictEqual(reason, length < 56 ? "NotASnapshot" : "Damaged", `${length} bytes`);
    }
    for (const added of [1, 8, 4_096]) {
      assert.strictEqual(await outcome(Buffer.concat([bytes, Buffer.alloc(added)])), "Damaged");
    }
  });

  it("are no snapshot when they are zeros, or of something else", async () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(4_096), Buffer.from("{}".repeat(99))]) {
      assert.strictEqual(await outcome(bytes), "NotASnapshot");
    }
  });

  it("may stand anywhere in memory", async () => {
    const bytes = await encode(smallSnapshot());
    const moved = new Uint8Array(bytes.length + 3).subarray(3);
    moved.set(bytes);
    assert.deepStrictEqual(await outcome(moved), sorted(smallSnapshot()));
  });
});

describe("bytes with a right checksum", () => {
  it("are refused for lengths that are not those of the columns, however large", async () => {
    const bytes = await encode(smallSnapshot());
    const text = headerOf(bytes);
    const [first] = /(?<="lengths":\[)\d+/.exec(text)!;
    for (const length of ["4294967296", "9007199254740991", "1e300", "-8", "0.5", '"60"', "null"]) {
      const header = text.replace(`[${first},`, `[${length},`);
      assert.notStrictEqual(header, text);
      assert.strictEqual(await outcome(withHeader(bytes, header)), "Inconsistent", length);
    }
    const long = bytes.slice();
    new DataView(long.buffer).setUint32(12, 2 ** 32 - 1, true);
    assert.strictEqual(await outcome(sealed(long)), "Inconsistent");
  });

  it("never do worse than be refused, whichever byte is another", async () => {
    const bytes = await encode(smallSnapshot());
    let refused = 0;
    for (let at = 12; at < bytes.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const other = bytes.slice();
        other[at]! ^= flip;
        const decoded = await outcome(sealed(other));
        if (typeof decoded === "string") refused++;
        // An accepted snapshot is like any other.
        else assert.deepStrictEqual(await outcome(await encode(decoded)), sorted(decoded));
      }
    }
    assert.isAbove(refused, 500);
  });
});

describe("encoding", () => {
  it("lets other work run in between, as decoding does", async () => {
    const discovered = Array.from({ length: 30_000 }, (_, index) => pool(index, "PAIRS", [1, 2]));
    const snapshot = { ...smallSnapshot(), discovered };
    const turnsDuring = <A, E>(work: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        let turns = 0;
        const other = yield* Effect.forkChild(
          Effect.forever(
            Effect.andThen(
              Effect.sync(() => turns++),
              Effect.yieldNow,
            ),
          ),
          { startImmediately: true },
        );
        const result = yield* work;
        yield* Fiber.interrupt(other);
        return { result, turns };
      });
    const encoded = await Effect.runPromise(turnsDuring(encodeChainSnapshot(snapshot)));
    assert.isAbove(encoded.turns, 50);
    const decoded = await Effect.runPromise(turnsDuring(decodeChainSnapshot(encoded.result)));
    assert.isAbove(decoded.turns, 20);
    assert.strictEqual(decoded.result.discovered.length, 30_000);
  });

  it.each([
    ["a pool twice", { discovered: [pool(1, "A", [1, 2]), pool(1, "A", [1, 3])], states: [] }],
    ["a token twice", { tokens: [...smallSnapshot().tokens, smallSnapshot().tokens[0]!] }],
    ["a state twice", { states: [...smallSnapshot().states, smallSnapshot().states[0]!] }],
    ["a state of no pool", { states: [{ pool: address(0xd1), state: concentrated([]) }] }],
    ["a pool of one token", { discovered: [pool(1, "A", [1])], states: [] }],
    ["a book out of order", { states: [stateOf([5, 4])] }],
    ["decimals beyond a byte", { tokens: [{ ...smallSnapshot().tokens[0]!, decimals: 256 }] }],
    ["an address that is none", { tokens: [{ ...smallSnapshot().tokens[0]!, address: "0x12" }] }],
  ] as const)("dies of %s", async (_, part) => {
    const exit = await Effect.runPromise(
      Effect.exit(encodeChainSnapshot({ ...smallSnapshot(), ...part })),
    );
    assert.strictEqual(exit._tag, "Failure");
  });
});

function stateOf(ticks: ReadonlyArray<number>) {
  return { pool: address(0xb1), state: concentrated(ticks.map((tick) => [tick, 1n, 1n])) };
}

function headerOf(bytes: Uint8Array): string {
  const length = new DataView(bytes.buffer).getUint32(12, true);
  return new TextDecoder().decode(bytes.subarray(56, 56 + length));
}

/** The bytes with another header, and with the matching checksum and length. */
function withHeader(bytes: Uint8Array, header: string): Uint8Array {
  const pad = (length: number) => Math.ceil(length / 8) * 8;
  const body = bytes.subarray(pad(56 + headerOf(bytes).length));
  const text = new TextEncoder().encode(header);
  const other = new Uint8Array(pad(56 + text.length) + body.length);
  other.set(bytes.subarray(0, 24));
  other.set(text, 56);
  other.set(body, other.length - body.length);
  const view = new DataView(other.buffer);
  view.setUint32(12, text.length, true);
  view.setFloat64(16, other.length, true);
  return sealed(other);
}

function sealed(bytes: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update(bytes.subarray(0, 24)).update(bytes.subarray(56));
  bytes.set(hash.digest(), 24);
  return bytes;
}
