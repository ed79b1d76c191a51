import type { RandomSource } from "./RandomSource.ts";

/** Senseless values of every kind; those that a call may change are new each time. */
const CONSTANT: ReadonlyArray<unknown> = [
  ...[undefined, null, true, false, "", "0", "1", "\0", "a\0b", "\ud800", "__proto__", "length"],
  ...["0x", `0x${"zz".repeat(20)}`, `0x${"00".repeat(20)}`, `0x${"ff".repeat(32)}`, "exactIn"],
  ...[0, -0, -1, 0.5, 1, 3, 4, 9, 255, 2 ** 31, 2 ** 32, 2 ** 53, 1e308, 5e-324, -1e9],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ...[0n, 1n, -1n, 2n ** 63n, 2n ** 256n, 2n ** 256n - 1n, -(2n ** 255n), 2n ** 100_000n],
  ...[Symbol("odd"), Symbol.iterator, () => 1, class {}, Object, /odd/g, new Date(Number.NaN)],
];

const MADE: ReadonlyArray<(random: RandomSource) => unknown> = [
  ...CONSTANT.map((value) => () => value),
  () => ({}),
  () => [],
  () => [[]],
  () => [Number.NaN],
  () => Object.create(null),
  () => new Map([["amount", 1n]]),
  () => new Set(["0x"]),
  () => "x".repeat(1_000_000),
  () => cyclicObject(),
  () => throwing(),
  () => new Proxy({}, { get: throwOdd, has: throwOdd, ownKeys: throwOdd }),
  () => endlessProxy(),
  () => detached(),
  () => new Uint8Array(3),
  () => new BigUint64Array(2),
  () => endlessArray(),
  () => lyingArray(),
  () => Object.assign([], { length: 2 ** 32 - 1 }),
  (random) => new Array(random.pick([1, 1_000, 100_000])).fill(random.pick([0, "0x", {}, 1n])),
  (random) => (random.chance(0.05) ? new Array(1_000_000).fill(0) : [0]),
];

export const oddValue = (random: RandomSource): unknown => random.pick(MADE)(random);

/** A copy of sensible arguments, with some part replaced by anything. */
export function spoiled(value: unknown, random: RandomSource): unknown {
  if (!isPlain(value) || random.chance(0.15)) return oddValue(random);
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...value };
  const names = Object.keys(copy);
  if (names.length === 0 || random.chance(0.1)) {
    Reflect.set(copy, random.pick([...names, "odd", "0", "filter"]), oddValue(random));
    return copy;
  }
  const name = random.pick(names);
  const way = random.next();
  if (way < 0.1) Reflect.deleteProperty(copy, name);
  else if (way < 0.2) return changing(copy, name, oddValue(random));
  else Reflect.set(copy, name, spoiled(Reflect.get(copy, name), random));
  return copy;
}

/** The same arguments in another form: behind a proxy, inherited, or as getters. */
export function disguised(value: unknown, random: RandomSource): unknown {
  if (!isPlain(value)) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, disguised(part, random)]);
  if (Array.isArray(value)) {
    const list = parts.map(([, part]) => part);
    return random.chance(0.3) ? new Proxy(list, {}) : list;
  }
  const whole = Object.fromEntries(parts);
  return random.pick([
    () => whole,
    () => new Proxy(whole, {}),
    () => Object.create(whole),
    () => Object.assign(Object.create(null), whole),
    () => Object.freeze(whole),
    () => ofGetters(whole),
  ])();
}

/** Whether a value is a plain object or array. */
function isPlain(value: unknown): value is Record<string, unknown> | unknown[] {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function ofGetters(whole: Record<string, unknown>): object {
  const made = {};
  for (const [name, value] of Object.entries(whole)) {
    Object.defineProperty(made, name, { get: () => value, enumerable: true });
  }
  return made;
}

/** A getter that gives the sensible value when first read, and another ever after. */
function changing(whole: object, name: string, later: unknown): object {
  let reads = 0;
  const first = Reflect.get(whole, name);
  if (Array.isArray(whole)) {
    return new Proxy(whole, {
      get: (list, key) => (key === name && reads++ > 0 ? later : Reflect.get(list, key)),
    });
  }
  return Object.defineProperty(whole, name, {
    get: () => (reads++ === 0 ? first : later),
    enumerable: true,
  });
}

function cyclicObject(): object {
  const cyclic: Record<string, unknown> = { amount: 1n };
  cyclic["filter"] = cyclic;
  return cyclic;
}

const throwOdd = (): never => {
  throw new Error("an odd getter");
};

const throwing = (): object =>
  Object.defineProperty({}, "amount", { get: throwOdd, enumerable: true });

/** A proxy whose every property is itself. */
function endlessProxy(): object {
  const proxy: object = new Proxy(() => proxy, {
    get: (_, key) => (typeof key === "symbol" ? undefined : proxy),
  });
  return proxy;
}

/** Its iterator never ends. */
const endlessArray = (): unknown[] =>
  Object.defineProperty([0], Symbol.iterator, {
    value: function* endless() {
      for (;;) yield 0;
    },
  });

/** Claims a huge length. */
const lyingArray = (): unknown[] =>
  new Proxy([0], { get: (list, key) => (key === "length" ? 2 ** 53 : Reflect.get(list, 0)) });

function detached(): BigUint64Array {
  const array = new BigUint64Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}
