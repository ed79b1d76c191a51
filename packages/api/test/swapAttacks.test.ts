import { Result } from "effect";
import { describe, expect, it } from "vitest";
import { decodeSwapRequest, decodeSwapRequestStrictly, NATIVE_TOKEN } from "../src/index.ts";

// Hand-made attacks on the text of a swap request. Each names where it must be refused, or that
// what is read of it is the harmless request, without a trace of the rest.

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const POOL = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const SENDER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const PERMIT = `{"signature":"0x${"ab".repeat(65)}","amount":"1","deadline":"2","nonce":"3"}`;

const STEP = `{"tokenA":"${WETH}","tokenB":"${USDC}","poolAddress":"${POOL}"}`;
const QUOTE = `{"tokenA":"${WETH}","tokenB":"${USDC}","amountIn":"1000","amountOut":"2","routePlan":[${STEP}]}`;
const BODY = `{"publicKey":"${SENDER}","quote":${QUOTE}}`;

/** The text with something put in at the beginning of the request, the quote, or the first step. */
const more = (members: string) => BODY.replace("{", `{${members},`);
const moreOfQuote = (members: string) => BODY.replace('"quote":{', `"quote":{${members},`);
const moreOfStep = (members: string) => BODY.replace("[{", `[{${members},`);
/** The text with another value of a member. */
const other = (key: string, value: string) =>
  BODY.replace(new RegExp(`"${key}":("[^"]*"|\\[[^\\]]*\\]|\\{[^}]*\\})`), `"${key}":${value}`);
const ofStep = (key: string, value: string) =>
  BODY.replace(STEP, STEP.replace(new RegExp(`"${key}":"[^"]*"`), `"${key}":${value}`));
const quoteIs = (value: string) => BODY.replace(QUOTE, value);
const planIs = (value: string) => BODY.replace(`[${STEP}]`, value);

type Refused = readonly [name: string, text: string, path: string];

const members: ReadonlyArray<Refused> = [
  ["a prototype", more('"__proto__":{"slippage":50}'), "__proto__"],
  ["a constructor", more('"constructor":{"prototype":{}}'), "constructor"],
  ["a look-alike of the sender", more(`"publiсKey":"${POOL}"`), "publiсKey"],
  ["another case of the recipient", more(`"Recipient":"${POOL}"`), "Recipient"],
  ["a blank behind the recipient", more(`"recipient ":"${POOL}"`), "recipient "],
  ["a target", more(`"to":"${POOL}"`), "to"],
  ["calldata", more('"data":"0x00"'), "data"],
  ["a value", more('"value":"1"'), "value"],
  ["a router", more(`"router":"${POOL}"`), "router"],
  ["a minimum", more('"minAmountOut":"0"'), "minAmountOut"],
  ["the quote's own member", more('"amountIn":"1"'), "amountIn"],
  ["a second fee", more(`"partnerFee":{"recipient":"${POOL}","fee":1}`), "partnerFee"],
  [
    "a fee with more in it",
    more(`"partnerFees":{"recipient":"${POOL}","fee":1,"token":"${WETH}"}`),
    "partnerFees.token",
  ],
  [
    "a fee with a prototype",
    more(`"partnerFees":{"recipient":"${POOL}","fee":1,"__proto__":{}}`),
    "partnerFees.__proto__",
  ],
  [
    "a permit with a spender",
    more(`"permit":${PERMIT.replace("{", `{"spender":"${POOL}",`)}`),
    "permit.spender",
  ],
  [
    "a permit with an owner",
    more(`"permit":${PERMIT.replace("{", `{"owner":"${POOL}",`)}`),
    "permit.owner",
  ],
];

const values: ReadonlyArray<Refused> = [
  ["no sender", BODY.replace(`"publicKey":"${SENDER}",`, ""), "publicKey"],
  ["the sender null", other("publicKey", "null"), "publicKey"],
  ["the sender in a list", other("publicKey", `["${SENDER}"]`), "publicKey"],
  ["the sender without 0x", other("publicKey", `"${SENDER.slice(2)}"`), "publicKey"],
  ["the sender with 0X", other("publicKey", `"${SENDER.replace("0x", "0X")}"`), "publicKey"],
  ["the sender with a line end", other("publicKey", `"${SENDER}\\n"`), "publicKey"],
  ["the sender with a zero behind", other("publicKey", `"${SENDER}\\u0000"`), "publicKey"],
  ["a name of a sender", other("publicKey", '"vitalik.eth"'), "publicKey"],
  ["no quote", `{"publicKey":"${SENDER}"}`, "quote"],
  ["a quote in a list", quoteIs(`[${QUOTE}]`), "quote"],
  ["a quote as text", quoteIs(JSON.stringify(QUOTE)), "quote"],
  ["an amount as a number", other("amountIn", "1000"), "quote.amountIn"],
  ["a negative amount", other("amountIn", '"-1"'), "quote.amountIn"],
  ["an amount with a sign", other("amountIn", '"+1"'), "quote.amountIn"],
  ["an amount in hex", other("amountIn", '"0x10"'), "quote.amountIn"],
  ["an amount with an exponent", other("amountIn", '"1e18"'), "quote.amountIn"],
  ["an amount with a point", other("amountIn", '"1.0"'), "quote.amountIn"],
  ["an amount with a zero before", other("amountIn", '"01"'), "quote.amountIn"],
  ["an amount with a blank", other("amountIn", '" 1"'), "quote.amountIn"],
  ["an empty amount", other("amountIn", '""'), "quote.amountIn"],
  ["an amount of Arabic digits", other("amountIn", '"١٢٣"'), "quote.amountIn"],
  ["an amount of 2^256", other("amountIn", `"${2n ** 256n}"`), "quote.amountIn"],
  [
    "an amount of a million digits",
    other("amountIn", `"${"9".repeat(1_000_000)}"`),
    "quote.amountIn",
  ],
  ["no amount out", BODY.replace('"amountOut":"2",', ""), "quote.amountOut"],
  ["an output that is no amount", other("amountOut", "{}"), "quote.amountOut"],
  [
    "both tokens the same",
    BODY.replace(`"quote":{"tokenA":"${WETH}"`, `"quote":{"tokenA":"${USDC}"`),
    "quote.tokenB",
  ],
  [
    "both tokens the same, in another case",
    BODY.replace(
      `"quote":{"tokenA":"${WETH}"`,
      `"quote":{"tokenA":"0x${USDC.slice(2).toUpperCase()}"`,
    ),
    "quote.tokenB",
  ],
  ["native in, of a token that is not", moreOfQuote('"isNativeIn":true'), "quote.isNativeIn"],
  ["native out, of a token that is not", moreOfQuote('"isNativeOut":true'), "quote.isNativeOut"],
  [
    "a native token that says it is none",
    moreOfQuote('"isNativeIn":false').replace(WETH, NATIVE_TOKEN),
    "quote.isNativeIn",
  ],
  ["exact output as text", moreOfQuote('"exactOutput":"true"'), "quote.exactOutput"],
  ["exact output as a number", moreOfQuote('"exactOutput":1'), "quote.exactOutput"],
  ["exact output null", moreOfQuote('"exactOutput":null'), "quote.exactOutput"],
  ["a plan that is no list", planIs('{"0":{},"length":1}'), "quote.routePlan"],
  ["a plan as text", planIs('"[]"'), "quote.routePlan"],
  ["a step that is null", planIs("[null]"), "quote.routePlan.0"],
  ["a step that is a list", planIs("[[]]"), "quote.routePlan.0"],
  ["a step without a pool", ofStep("poolAddress", "null"), "quote.routePlan.0.poolAddress"],
  ["a pool that is no address", ofStep("poolAddress", '"0x1"'), "quote.routePlan.0.poolAddress"],
  [
    "a pool of V4, 32 bytes",
    ofStep("poolAddress", `"0x${"12".repeat(32)}"`),
    "quote.routePlan.0.poolAddress",
  ],
  ["a token that is no address", ofStep("tokenA", '"WETH"'), "quote.routePlan.0.tokenA"],
  ["a direction as text", moreOfStep('"aToB":"false"'), "quote.routePlan.0.aToB"],
  ["a direction as a number", moreOfStep('"aToB":0'), "quote.routePlan.0.aToB"],
  ["a direction null", moreOfStep('"aToB":null'), "quote.routePlan.0.aToB"],
  ["a step's amount as a number", moreOfStep('"amountIn":5'), "quote.routePlan.0.amountIn"],
  ["a step's negative amount", moreOfStep('"amountOut":"-5"'), "quote.routePlan.0.amountOut"],
  ["257 steps", planIs(`[${new Array(257).fill(STEP)}]`), "quote.routePlan"],
  ["a hundred thousand steps", planIs(`[${new Array(100_000).fill(STEP)}]`), "quote.routePlan"],
  ["slippage as text", more('"slippage":"0.5"'), "slippage"],
  ["negative slippage", more('"slippage":-0.1'), "slippage"],
  ["slippage above the cap", more('"slippage":50.0001'), "slippage"],
  ["slippage of five decimals", more('"slippage":0.00001'), "slippage"],
  ["slippage without end", more('"slippage":1e999'), "slippage"],
  ["slippage null", more('"slippage":null'), "slippage"],
  [
    "a fee above the cap",
    more(`"partnerFees":{"recipient":"${POOL}","fee":1001}`),
    "partnerFees.fee",
  ],
  ["a negative fee", more(`"partnerFees":{"recipient":"${POOL}","fee":-1}`), "partnerFees.fee"],
  ["a broken fee", more(`"partnerFees":{"recipient":"${POOL}","fee":0.5}`), "partnerFees.fee"],
  ["a fee as text", more(`"partnerFees":{"recipient":"${POOL}","fee":"30"}`), "partnerFees.fee"],
  ["a fee to nobody", more('"partnerFees":{"fee":30}'), "partnerFees.recipient"],
  ["fees in a list", more(`"partnerFees":[{"recipient":"${POOL}","fee":30}]`), "partnerFees"],
  ["fees null", more('"partnerFees":null'), "partnerFees"],
  ["a recipient null", more('"recipient":null'), "recipient"],
  ["a recipient that is no address", more('"recipient":"0x0"'), "recipient"],
  ["a deadline as text", more('"deadline":"1800000000"'), "deadline"],
  ["a negative deadline", more('"deadline":-1'), "deadline"],
  ["a broken deadline", more('"deadline":1800000000.5'), "deadline"],
  ["a deadline of 2^64", more('"deadline":18446744073709551616'), "deadline"],
  ["a permit as text", more('"permit":"0x"'), "permit"],
  [
    "a permit that signs nothing",
    more(`"permit":${PERMIT.replace(/0x[ab]+/, "0x")}`),
    "permit.signature",
  ],
  [
    "a signature of 64 bytes",
    more(`"permit":${PERMIT.replace('"0xab', '"0x')}`),
    "permit.signature",
  ],
  [
    "a permit's amount as a number",
    more(`"permit":${PERMIT.replace('"1"', "1")}`),
    "permit.amount",
  ],
  ["a permit's negative nonce", more(`"permit":${PERMIT.replace('"3"', '"-3"')}`), "permit.nonce"],
];

const ignored: ReadonlyArray<readonly [name: string, text: string]> = [
  ["a prototype of the quote", moreOfQuote('"__proto__":{"amountIn":"5"}')],
  ["a prototype of a step", moreOfStep('"__proto__":{"aToB":false}')],
  ["a look-alike of an amount", moreOfQuote('"аmountIn":"5"')],
  ["another case of an amount", moreOfQuote('"AmountIn":"5"')],
  ["a look-alike of a pool", moreOfStep(`"poоlAddress":"${SENDER}"`)],
  ["a target in the quote", moreOfQuote(`"to":"${SENDER}","data":"0xff","recipient":"${SENDER}"`)],
  ["a venue that is none", moreOfStep('"dexId":{"a":[1]},"fee":-5,"zeroForOne":"maybe"')],
  ["a nest in the quote", moreOfQuote(`"explanation":${"[".repeat(500)}${"]".repeat(500)}`)],
  ["a member twice, the first false", BODY.replace('"amountIn"', '"amountIn":"77","amountIn"')],
];

describe("an attack on the text of a swap request", () => {
  for (const [name, text, path] of [...members, ...values]) {
    it(`is refused where it is: ${name}`, () => {
      expect(text).not.toBe(BODY);
      const body: unknown = JSON.parse(text);
      expect(decodeSwapRequest(body)).toBeUndefined();
      const result = decodeSwapRequestStrictly(body);
      if (Result.isSuccess(result)) throw new Error("the schema takes it");
      expect(result.failure.map((issue) => issue.path.join("."))).toEqual([path]);
    });
  }

  it("is one of at least ninety that are all different", () => {
    const texts = [...members, ...values, ...ignored].map((attack) => attack[1]);
    expect(new Set([BODY, ...texts]).size).toBe(texts.length + 1);
    expect(texts.length).toBeGreaterThanOrEqual(90);
  });

  it("is refused when the body is no record", () => {
    for (const text of [
      "null",
      "[]",
      "1",
      '"{}"',
      "true",
      "{}",
      `[${BODY}]`,
      JSON.stringify(BODY),
    ]) {
      const body: unknown = JSON.parse(text);
      expect(decodeSwapRequest(body), text).toBeUndefined();
      expect(Result.isFailure(decodeSwapRequestStrictly(body)), text).toBe(true);
    }
  });

  it("of a million steps is refused with a bounded answer", () => {
    const body: unknown = JSON.parse(planIs(`[${new Array(1_000_000).fill("0")}]`));
    expect(decodeSwapRequest(body)).toBeUndefined();
    const result = decodeSwapRequestStrictly(body);
    expect(Result.isFailure(result) && result.failure.length).toBeLessThanOrEqual(100);
  });

  it.each(ignored)("in what is ignored leaves no trace: %s", (_, text) => {
    expect(text).not.toBe(BODY);
    const decoded = decodeSwapRequest(JSON.parse(text));
    expect(decoded).toEqual(decodeSwapRequest(JSON.parse(BODY)));
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(decodeSwapRequest(JSON.parse(BODY))));
    expect(Object.getPrototypeOf(decoded!.quote)).toBe(Object.prototype);
    expect(({} as { amountIn?: string }).amountIn).toBeUndefined();
  });

  it("cannot make a step of a direction that is not said", () => {
    const turned = decodeSwapRequest(JSON.parse(moreOfStep('"aToB":false')));
    expect(turned?.quote.routePlan[0]).toMatchObject({ aToB: false, tokenA: WETH, tokenB: USDC });
    expect(decodeSwapRequest(JSON.parse(BODY))?.quote.routePlan[0]).not.toHaveProperty("aToB");
  });
});
