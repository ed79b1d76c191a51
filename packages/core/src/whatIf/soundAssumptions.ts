import { BOOK_WORDS, type Book, type PoolGraph, type PoolState } from "../graph/PoolGraph.ts";
import {
  asRequestError,
  invalidArgument,
  isIndex,
  listOf,
  objectOf,
  readArgument,
} from "../search/arguments.ts";
import type { Assumption, RefusedAssumption } from "./Assumption.ts";

/** Each is applied again with every block. */
const ASSUMPTIONS_MAX = 2 ** 16;
const STATE_WORDS_MAX = 2 ** 16;
/** More than there are ticks. */
const BOOK_KEYS_MAX = 2 ** 21;

/**
 * Checked copies of assumptions as they are now; or the first that is invalid, or whose pool is not
 * in the market. Throws a QuoteRequestError for anything but a list.
 */
export function soundAssumptions(
  graph: PoolGraph,
  assumptions: ReadonlyArray<Assumption>,
): ReadonlyArray<Assumption> | RefusedAssumption {
  const list = readArgument("assumptions", () =>
    listOf("assumptions", assumptions, ASSUMPTIONS_MAX),
  );
  const sound: Assumption[] = [];
  for (const [index, assumption] of list.entries()) {
    try {
      sound.push(soundAssumption(graph, assumption));
    } catch (error) {
      return { refused: true, index, reason: asRequestError("assumption", error).detail };
    }
  }
  return sound;
}

function soundAssumption(graph: PoolGraph, given: unknown): Assumption {
  const assumption = objectOf("assumption", given) as unknown as Assumption;
  const { kind, pool } = assumption;
  if (!isIndex(pool, graph.poolCount) || !graph.isLive(pool)) {
    throw invalidArgument(
      "pool",
      typeof pool === "number" ? `no pool ${pool}` : "no index of a pool",
    );
  }
  switch (kind) {
    case "poolRemoved":
      return { kind, pool };
    case "poolState":
      return { kind, pool, state: soundState(assumption.state) };
    case "swapped": {
      const { tokenIn, tokenOut, amountIn } = assumption;
      for (const token of [tokenIn, tokenOut]) {
        if (typeof token !== "number") throw invalidArgument("token", "no index of a token");
      }
      if (typeof amountIn !== "bigint") throw invalidArgument("amountIn", "expected a bigint");
      return { kind, pool, tokenIn, tokenOut, amountIn };
    }
    default:
      throw invalidArgument("kind", 'expected "poolRemoved", "poolState" or "swapped"');
  }
}

function soundState(given: unknown): PoolState {
  const { words, book } = objectOf("state", given);
  const own = copyOf(BigUint64Array, words, STATE_WORDS_MAX);
  return book === undefined ? { words: own } : { words: own, book: soundBook(book) };
}

function soundBook(given: unknown): Book {
  const { keys, words } = objectOf("book", given);
  const own = copyOf(Int32Array, keys, BOOK_KEYS_MAX);
  const values = copyOf(BigInt64Array, words, BOOK_KEYS_MAX * BOOK_WORDS);
  if (values.length !== own.length * BOOK_WORDS) {
    throw invalidArgument("book", `expected ${BOOK_WORDS} words for each key`);
  }
  return { keys: own, words: values };
}

/** A copy, so that the caller may reuse its arrays. */
function copyOf<A extends BigUint64Array | BigInt64Array | Int32Array>(
  Kind: new (array: never) => A,
  array: unknown,
  longest: number,
): A {
  if (!(ArrayBuffer.isView(array) && array instanceof Kind)) {
    throw invalidArgument("state", `expected a ${Kind.name}`);
  }
  if (array.length > longest) throw invalidArgument("state", `at most ${longest} words`);
  return new Kind(array as never);
}
