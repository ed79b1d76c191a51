import { assert, describe, it } from "@effect/vitest";
import type { ChainCall, Hex } from "@millrace/protocols";
import { Effect } from "effect";
import {
  decodeFunctionData,
  encodeFunctionResult,
  keccak256,
  multicall3Abi,
  numberToHex,
} from "viem";
import { type BlockReader, callAll } from "../../src/reading/callAll.ts";
import { readStates } from "../../src/reading/readStates.ts";
import type { RpcError } from "../../src/rpc/RpcError.ts";
import { opened, pairDex } from "./factoryChain.ts";
import { rpcError, type Script } from "./scriptedEndpoints.ts";

const blockHash = keccak256("0x");
const multicall = `0x${"ca".repeat(20)}` as const;
const BAD: Hex = "0xbad0";

const call = (index: number): ChainCall => ({
  to: numberToHex(index, { size: 20 }),
  data: numberToHex(index, { size: 36 }),
});
const calls = (count: number) => Array.from({ length: count }, (_, index) => call(index));

/** Returns each call's data; `check` sees the calls first. */
function echo(check: (calls: ReadonlyArray<Hex>) => RpcError | undefined = () => undefined) {
  const sizes: number[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  const request: Script = Effect.fnUntraced(function* (method, params) {
    assert.strictEqual(method, "eth_call");
    const [{ to, data }, block] = params as [{ to: Hex; data: Hex }, unknown];
    assert.strictEqual(to, multicall);
    assert.deepStrictEqual(block, { blockHash });
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const asked = (args as unknown as [ReadonlyArray<{ callData: Hex }>])[0].map(
      ({ callData }) => callData,
    );
    sizes.push(asked.length);
    inFlightMax = Math.max(inFlightMax, ++inFlight);
    yield* Effect.yieldNow;
    inFlight--;
    const refusal = check(asked);
    if (refusal !== undefined) return yield* refusal;
    const result = asked.map((returnData) => ({ success: returnData !== BAD, returnData }));
    return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result });
  });
  const reader: BlockReader = { endpoint: { name: "echo", request }, blockHash, multicall };
  return { reader, sizes, inFlightMax: () => inFlightMax };
}

describe("callAll", () => {
  it.effect("gives answers in the order of the calls, a few batches at a time", () =>
    Effect.gen(function* () {
      const { reader, sizes, inFlightMax } = echo();
      const answers = yield* callAll(reader, calls(7_500));
      assert.deepStrictEqual(
        answers,
        calls(7_500).map(({ data }) => data),
      );
      assert.isAtMost(sizes.length, 10);
      assert.strictEqual(inFlightMax(), 4);
      assert.deepStrictEqual(yield* callAll(reader, []), []);
    }),
  );

  it.effect("keeps batches of long calls short", () =>
    Effect.gen(function* () {
      const { reader, sizes } = echo();
      const data: Hex = `0x${"12".repeat(10_000)}`;
      yield* callAll(
        reader,
        Array.from({ length: 100 }, () => ({ ...call(1), data })),
      );
      assert.isAtMost(Math.max(...sizes), 40);
    }),
  );

  for (const reason of ["Refused", "TooLarge"] as const) {
    it.effect(`halves a batch after ${reason} until it passes`, () =>
      Effect.gen(function* () {
        const { reader } = echo((asked) => (asked.length > 60 ? rpcError(reason) : undefined));
        const answers = yield* callAll(reader, calls(1_000));
        assert.deepStrictEqual(answers.at(-1), call(999).data);
        assert.isFalse(answers.includes(undefined));
      }),
    );

    it.effect(`has no answer for the one call that is ${reason} even alone`, () =>
      Effect.gen(function* () {
        const hostile = call(333).data;
        const { reader, sizes } = echo((asked) =>
          asked.includes(hostile) ? rpcError(reason) : undefined,
        );
        const answers = yield* callAll(reader, calls(1_000));
        assert.deepStrictEqual(
          answers,
          calls(1_000).map(({ data }) => (data === hostile ? undefined : data)),
        );
        assert.isBelow(sizes.length, 40);
      }),
    );
  }

  const transport = ["Unreachable", "TimedOut", "RateLimited", "Malformed", "WrongChain"] as const;
  for (const reason of transport) {
    it.effect(`fails at once when the node is ${reason}`, () =>
      Effect.gen(function* () {
        const { reader, sizes } = echo(() => rpcError(reason));
        const error = yield* Effect.flip(callAll(reader, calls(900)));
        assert.strictEqual(error.reason, reason);
        assert.strictEqual(sizes.length, 1);
      }),
    );
  }

  for (const [detail, code] of [
    ["header not found", -32000],
    ["unknown block", -32602],
    ["block not found", -32001],
    ["missing trie node 12ab", -32000],
    ["historical state is not available", 4444],
  ] as const) {
    it.effect(`blames no contract when nothing can be called at the block: ${detail}`, () =>
      Effect.gen(function* () {
        const { reader } = echo(() => rpcError("Refused", detail, code));
        const error = yield* Effect.flip(callAll(reader, calls(900)));
        assert.strictEqual(error.detail, detail);
      }),
    );
  }

  it.effect("blames no contract that a lagging node behind a balancer refused once", () =>
    Effect.gen(function* () {
      let asked = 0;
      const { reader } = echo(() =>
        asked++ === 0 ? rpcError("Refused", "header not found") : undefined,
      );
      assert.deepStrictEqual(yield* callAll(reader, calls(1)), [call(0).data]);
    }),
  );

  it.effect("blames no contract when two nodes behind a balancer, one late, answer in turn", () =>
    Effect.gen(function* () {
      // The worst case: the late node answers every call itself, and no request in between.
      for (let refusals = 1; refusals <= 6; refusals++) {
        let refused = 0;
        const { reader } = echo((asked) =>
          asked.length > 0 && refused++ < refusals
            ? rpcError("Refused", "header not found")
            : undefined,
        );
        assert.deepStrictEqual(yield* callAll(reader, calls(1)), [call(0).data]);
      }
    }),
  );

  it.effect("has no answer for a call that reverts, and asks for it alone", () =>
    Effect.gen(function* () {
      const { reader, sizes } = echo();
      const answers = yield* callAll(reader, [call(1), { ...call(2), data: BAD }, call(3)]);
      assert.deepStrictEqual(answers, [call(1).data, undefined, call(3).data]);
      assert.deepStrictEqual(sizes, [3, 1]);
    }),
  );

  for (const nonsense of [null, 7, "0x", "nothing", "0x12", `0x${"00".repeat(64)}`, {}]) {
    it.effect(`takes ${JSON.stringify(nonsense)} for no answer`, () =>
      Effect.gen(function* () {
        const endpoint = { name: "odd", request: () => Effect.succeed(nonsense) };
        const reader: BlockReader = { endpoint, blockHash, multicall };
        const error = yield* Effect.flip(callAll(reader, calls(2)));
        assert.strictEqual(error.reason, "BadData");
      }),
    );
  }
});

describe("readStates", () => {
  it.effect("reads pools side by side, and has no state for one that answers nonsense", () =>
    Effect.gen(function* () {
      const { reader, sizes } = echo();
      const [dex] = opened([pairDex]);
      // The echo of a four-byte call does not decode as reserves.
      const pools = Array.from({ length: 2_500 }, (_, index) => ({
        listing: {
          address: numberToHex(index, { size: 20 }),
          dexId: "X",
          tokens: [],
          feePips: 0,
          parameter: 0,
        },
        dex: dex!,
      }));
      const states = yield* readStates(reader, pools);
      assert.deepStrictEqual(states, new Array(2_500).fill(undefined));
      assert.strictEqual(sizes.length, 3);
    }),
  );
});
