import { NATIVE, USDC, WETH } from "../kit/service.ts";

/** A message that is no operation, or an impossible one, and its required answer. */
export interface BadOperation {
  readonly what: string;
  readonly text: string;
  readonly code: string;
  /** The id in the answer. */
  readonly id: number | string | null;
}

const DEEP = 16_384;
const UNKNOWN = `0x${"12".repeat(20)}`;

const notJson = [
  ...["", " ", "\n", "x", "{", "}", "[", "]", '"', "nul", "NaN", "Infinity", "undefined", "-"],
  ...["'ping'", "{'op':'ping'}", '{"op":}', '{"op":"ping",}', "{op:ping}", '{"op" "ping"}'],
  ...['{"op":"ping"', '{"op":"ping', '{"op":"ping"}}', '{"op":"ping"}{"op":"ping"}'],
  ...['{"op":"ping"}\n{"op":"ping"}', '{"op":"ping"}\0', '\0{"op":"ping"}', "\0", "\0".repeat(999)],
  ...['\uFEFF{"op":"ping"}', '{"op":"ping"}\u2028', '\u00a0{"op":"ping"}', "\uFEFF"],
  ...['{"op":"pi\u0001ng"}', '{"op":"pi\nng"}', '{"op":"ping"/**/}', '{"op":"ping"}//'],
  ...['{"op":"ping","id":01}', '{"op":"ping","id":+1}', '{"op":"ping","id":.5}'],
  ...['{"op":"ping","id":0x1}', '{"op":"ping","id":1e}', '{"op":"ping","id":1.}'],
  ...['{"op":"ping","id":"\\x41"}', '{"op":"ping","id":"\\u12"}', '{"op":"\\ud8"}'],
  ...["[".repeat(DEEP), "{".repeat(DEEP), ",".repeat(DEEP), '"'.repeat(DEEP), "x".repeat(DEEP)],
  ...[
    '{"a":'.repeat(3_276),
    `{"op":"ping","id":${"[".repeat(16_000)}`,
    "9".repeat(DEEP - 1).concat("e"),
  ],
  // These are objects, but larger than any operation.
  ...["[".repeat(DEEP / 2) + "]".repeat(DEEP / 2), `[${"1,".repeat(8_000)}1]`],
  `${'{"a":'.repeat(2_700)}1${"}".repeat(2_700)}`,
];

const noObjects = [
  "7",
  "null",
  "true",
  '"ping"',
  "[]",
  '[{"op":"ping","id":1}]',
  "-0",
  "1e400",
].concat("[".repeat(900) + "]".repeat(900), "9".repeat(DEEP));

const noOperations: ReadonlyArray<unknown> = [
  ...[undefined, null, 1, true, [], {}, ["ping"], "", "PING", "Subscribe", "subscribe ", "hello"],
  ...[
    "update",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "ping\0",
    "ｐｉｎｇ",
    "x".repeat(9_999),
  ],
];

/** None of them comes back. */
const noIds = [
  ...["null", "true", "[]", "{}", '{"toString":1}', "1.5", "9007199254740992", "-9007199254740992"],
  ...["1e308", "1e400", "-1e400", "5e-324", `"${"x".repeat(65)}"`, `"${"x".repeat(16_000)}"`],
  ...[`"${"€".repeat(65)}"`, "9".repeat(400), '[["a"]]', `{"__proto__":1}`],
];

const price = { op: "subscribe", id: 1, channel: "price", network: "ETH", token: WETH };
const quote = {
  ...{ op: "subscribe", id: "q", channel: "quote", network: "ETH", tokenA: WETH, tokenB: USDC },
  amountIn: "1000",
};
const { amountIn: _, ...unsized } = quote;
const pool = { op: "subscribe", id: -3, channel: "pool", network: "ETH" };
const { token: __, ...tokenless } = price;
const { channel: ___, ...channelless } = price;

const wrongTexts: ReadonlyArray<unknown> = [null, 7, true, [], {}, [WETH], { length: 42 }];
const wrongAddresses: ReadonlyArray<unknown> = [
  ...[
    ...wrongTexts,
    "",
    "0x",
    WETH.slice(0, -1),
    `${WETH}0`,
    WETH.slice(2),
    ` ${WETH}`,
    `${WETH}\n`,
  ],
  ...[
    `${WETH}\0`,
    `0X${WETH.slice(2)}`,
    `0x${"g".repeat(40)}`,
    `0x${"０".repeat(40)}`,
    "vitalik.eth",
  ],
  ...[`0x${"\ud800".repeat(40)}`, `0x${"é".repeat(40)}`, "x".repeat(10_000), "__proto__"],
];
const wrongAmounts: ReadonlyArray<unknown> = [
  ...[
    null,
    1,
    1e21,
    true,
    [],
    {},
    "",
    "-1",
    "+1",
    "01",
    "1.5",
    "1e3",
    "0x1",
    " 1",
    "1 ",
    "1\0",
    "١",
  ],
  ...["9".repeat(78), "9".repeat(79), "9".repeat(16_000), String(2n ** 256n), "NaN", "Infinity"],
];

const subscriptions: ReadonlyArray<readonly [what: string, operation: object, code?: string]> = [
  ...each(
    "a channel",
    [...wrongTexts, undefined, "", "Price", "prices", "price\0", "__proto__"],
    (channel) => ({
      ...channelless,
      channel,
    }),
  ),
  ...each("a network", [...wrongTexts, undefined], (network) => ({ ...price, network })),
  ...each(
    "a network",
    ["", "NOPE", "eth", "ETH ", "ETH\0", "__proto__", "constructor", "ＥＴＨ", "x".repeat(16_000)],
    (network) => ({ ...price, network }),
    "UNKNOWN_NETWORK",
  ),
  ...each("a token", wrongAddresses, (token) => ({ ...price, token })),
  ["no token", tokenless],
  ["a token and tokens", { ...price, tokens: [WETH] }],
  ["a token unknown", { ...price, token: UNKNOWN }, "UNKNOWN_TOKEN"],
  ...each(
    "tokens",
    [
      ...wrongTexts.filter((one) => !Array.isArray(one)),
      [],
      WETH,
      [null],
      [[WETH]],
      { 0: WETH, length: 1 },
    ],
    (tokens) => ({ ...tokenless, tokens }),
  ),
  ["101 tokens", { ...tokenless, tokens: Array.from({ length: 101 }, () => WETH) }],
  ["one token unknown", { ...tokenless, tokens: [WETH, UNKNOWN] }, "UNKNOWN_TOKEN"],
  ...each(
    "an unknown key",
    ["extra", "constructor", "toString", "\0", "", "Token", "amountIn", "sub"],
    (key) => ({
      ...price,
      [String(key)]: 1,
    }),
  ),
  [
    "a thousand unknown keys",
    { ...price, ...Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 1])) },
  ],
  ...each("an amount", wrongAmounts, (amountIn) => ({ ...unsized, amountIn })),
  ["an amount of nothing said", unsized],
  ["both amounts", { ...quote, amountOut: "1" }],
  ["a ladder and an amount", { ...quote, amounts: ["1"] }],
  ...each(
    "a ladder",
    [null, 1, "1", {}, [], [1], [null], [["1"]], ["-1"], ["01"], ["1", ""]],
    (amounts) => ({
      ...unsized,
      amounts,
    }),
  ),
  ["a ladder of 17", { ...unsized, amounts: Array.from({ length: 17 }, () => "1") }],
  ...each("a threshold", [null, "1", true, [], {}, -1, -1e-9, 10_001, 1e300], (minChangeBps) => ({
    ...quote,
    minChangeBps,
  })),
  ...each("hops", [null, 0, 5, -1, 1.5, "2", [], 1e300], (maxHops) => ({ ...quote, maxHops })),
  ...each("splits", [null, 0, 65, -1, 1.5, "2", {}, 1e300], (maxSplits) => ({
    ...quote,
    maxSplits,
  })),
  ...each("a gas price", [null, 1, "", "-1", "1.5", "9".repeat(99)], (gasPriceWei) => ({
    ...quote,
    gasPriceWei,
  })),
  ["two prices of gas", { ...quote, gasPriceWei: "1", gasAware: true }],
  ["a token for itself", { ...quote, tokenB: WETH.toUpperCase().replace("X", "x") }],
  ["a quote of a token unknown", { ...quote, tokenA: UNKNOWN }, "UNKNOWN_TOKEN"],
  ["a quote to a token unknown", { ...quote, tokenB: UNKNOWN }, "UNKNOWN_TOKEN"],
  ["a DEX unknown", { ...quote, dexId: "NOPE" }, "UNKNOWN_DEX"],
  ["a DEX that is a property", { ...quote, dexId: "__proto__" }, "UNKNOWN_DEX"],
  ["a DEX of 65 letters", { ...quote, dexId: "x".repeat(65) }],
  ["a DEX that is a list", { ...quote, dexId: ["ALL"] }],
  ["a pool to leave out, unknown", { ...quote, excludePools: [UNKNOWN] }, "UNKNOWN_POOL"],
  [
    "101 pools to leave out",
    { ...quote, excludePools: Array.from({ length: 101 }, () => UNKNOWN) },
  ],
  ["an assumption of nothing", { ...quote, assume: [{}] }],
  [
    "33 assumptions",
    { ...quote, assume: Array.from({ length: 33 }, () => ({ removePool: UNKNOWN })) },
  ],
  ["an assumption with a property of all objects", { ...quote, assume: [{ constructor: 1 }] }],
  ["a study of 64 paths", { ...quote, explain: true, maxSplits: 64 }],
  ["an explanation of 1", { ...quote, explain: 1 }],
  ...each("a pool", [...wrongAddresses, undefined], (address) => ({ ...pool, pool: address })),
  ["a pool unknown", { ...pool, pool: UNKNOWN }, "UNKNOWN_POOL"],
  ["the native token for a pool", { ...pool, pool: NATIVE }, "UNKNOWN_POOL"],
  ["a pool with a token", { ...pool, pool: UNKNOWN, token: WETH }],
  ["blocks of a pool", { ...pool, channel: "block", pool: UNKNOWN }],
  ...["trades", "candles"].flatMap((channel) => [
    ...each(`${channel} of a token`, wrongAddresses, (token) => ({ ...price, channel, token })),
    ...each(`${channel} of a pool`, wrongAddresses, (address) => ({
      ...{ ...pool, channel, pool: address },
    })),
    [`${channel} of nothing`, { ...tokenless, channel }] as const,
    [`${channel} of a pool and a token`, { ...price, channel, pool: UNKNOWN }] as const,
    [`${channel} of tokens`, { ...tokenless, channel, tokens: [WETH] }] as const,
    [
      `${channel} of a token unknown`,
      { ...price, channel, token: UNKNOWN },
      "UNKNOWN_TOKEN",
    ] as const,
    [`${channel} of a pool unknown`, { ...pool, channel, pool: UNKNOWN }, "UNKNOWN_POOL"] as const,
    [`${channel} of the native pool`, { ...pool, channel, pool: NATIVE }, "UNKNOWN_POOL"] as const,
  ]),
  ["trades of an interval", { ...price, channel: "trades", interval: "1h" }],
  ...each("an interval", [null, 60, "", "2m", "1H", "1d ", [], "__proto__"], (interval) => ({
    ...{ ...price, channel: "candles", interval },
  })),
  ["networks of a token", { ...price, channel: "networks" }],
  ...each(
    "an end",
    [...wrongTexts, undefined, "", "s0", "s1", "S2", "s2 ", "s999", "__proto__", "x".repeat(65)],
    (subscription) => ({
      ...{ op: "unsubscribe", id: 1, subscription },
    }),
  ),
  ["a list of something", { op: "list", id: 1, channel: "price" }],
  ["a ping with more", { op: "ping", id: 1, data: "x".repeat(9_000) }],
];

/** All of them leave the connection open. */
export const badOperations: ReadonlyArray<BadOperation> = [
  ...notJson.map((text) => bad("no JSON", text, null)),
  ...noObjects.map((text) => bad("no object", text, null)),
  ...noOperations.map((op) => bad("no operation", JSON.stringify({ op, id: 5 }), 5)),
  ...["ping", "list", "subscribe"].flatMap((op) =>
    noIds.map((id) => bad(`an id for ${op}`, `{"op":"${op}","id":${id}}`, null)),
  ),
  ...["list", "unsubscribe", "subscribe"].map((op) => bad("no id", `{"op":"${op}"}`, null)),
  ...subscriptions.map(([what, operation, code]) => {
    const { id } = operation as { readonly id: number | string };
    return bad(what, JSON.stringify(operation), id, code);
  }),
  bad("a prototype", JSON.stringify(price).replace("{", '{"__proto__":{"op":"ping"},'), 1),
  bad("a key twice, wrong at last", '{"op":"ping","op":"pong","id":1}', 1),
  bad("an id twice, wrong at last", '{"op":"ping","id":1,"id":{}}', null),
];

function bad(what: string, text: string, id: number | string | null, code = "INVALID_REQUEST") {
  const shown = text.length > 70 ? `${text.slice(0, 70)}… of ${text.length}` : text;
  return { what: `${what}: ${JSON.stringify(shown)}`, text, code, id };
}

function each(
  what: string,
  values: ReadonlyArray<unknown>,
  operation: (value: unknown) => object,
  code?: string,
): ReadonlyArray<readonly [what: string, operation: object, code?: string]> {
  return values.map((value) => {
    const one = operation(value);
    return code === undefined ? [what, one] : [what, one, code];
  });
}
