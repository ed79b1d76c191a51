import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startConfigured, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";

// Hand-made attacks on the text of a swap request, over the socket: each gets the expected refusal,
// or the same transactions as the original request.

const SENDER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const STRANGER = `0x${"5".repeat(40)}`;

let service: Service;
/** The text of a sound request, which the attacks change. */
let sound: string;
let quote: string;
/** A pool of the other network. */
let foreignPool: string;

beforeAll(async () => {
  const networks = [
    { id: "ETH", chainId: 1, source: { kind: "marketFile", path: UNIVERSE_A } },
    { id: "BASE", chainId: 8453, source: { kind: "generated", seed: 1, poolCount: 60 } },
  ];
  service = await startConfigured({ networks });
  const request = { tokenA: USDC, tokenB: WETH, amountIn: "1000000000", dexId: "UNISWAP_V3" };
  const answer = await service.post("/ETH/quote", { ...request, maxHops: 1 });
  expect(answer.status, answer.text).toBe(200);
  quote = answer.text;
  sound = `{"publicKey":"${SENDER}","quote":${quote},"deadline":${nowSeconds() + 1_800}}`;
  const { graph } = service.networks.byId("BASE")!.market!.engine;
  foreignPool = graph.poolAddress(0 as Parameters<typeof graph.poolAddress>[0]);
});
afterAll(() => service?.stop());

const nowSeconds = () => Math.floor(Date.now() / 1_000);

type Change = (text: string) => string;
/** Inserts members at the beginning of the request, the quote, or the first step. */
const more =
  (members: string): Change =>
  (text) =>
    text.replace("{", `{${members},`);
const moreOfQuote =
  (members: string): Change =>
  (text) =>
    text.replace('"quote":{', `"quote":{${members},`);
const moreOfStep =
  (members: string): Change =>
  (text) =>
    text.replace('"routePlan":[{', `"routePlan":[{${members},`);
/** Appends members to the request, or to its quote: the last of two equal members counts. */
const last =
  (members: string): Change =>
  (text) =>
    text.replace(/\}$/, `,${members}}`);
const lastOfQuote =
  (members: string): Change =>
  (text) =>
    text.replace(quote, quote.replace(/\}$/, `,${members}}`));
const planIs =
  (plan: (step: string) => string): Change =>
  (text) =>
    text.replace(/"routePlan":\[(.*?\})\]/, (_, step: string) => `"routePlan":${plan(step)}`);
const poolIs =
  (pool: () => string): Change =>
  (text) =>
    text.replace(/"poolAddress":"[^"]*"/, `"poolAddress":"${pool()}"`);

type Attack = readonly [name: string, change: Change, outcome: string, place?: string];

const INVALID = "INVALID_REQUEST 400";
const OURS = "ours";

const ATTACKS: ReadonlyArray<Attack> = [
  ["a million steps", planIs(() => `[${"0,".repeat(999_999)}0]`), "PAYLOAD_TOO_LARGE 413"],
  ["twenty thousand empty steps", planIs(() => `[${"{},".repeat(20_000)}{}]`), INVALID, ""],
  [
    "257 steps",
    planIs((step) => {
      const { tokenA, tokenB, poolAddress } = JSON.parse(step);
      return JSON.stringify(new Array(257).fill({ tokenA, tokenB, poolAddress }));
    }),
    INVALID,
    "quote.routePlan",
  ],
  ["a nest of brackets", planIs(() => "[".repeat(30_000) + "]".repeat(30_000)), INVALID, ""],
  ["the plan twice, the last empty", lastOfQuote('"routePlan":[]'), INVALID, "quote.routePlan"],
  ["an amount twice, the first another", moreOfQuote('"amountIn":"77"'), OURS],
  ["an amount twice, the last another", lastOfQuote('"amountIn":"77"'), INVALID, "quote.routePlan"],
  [
    "an amount twice, the last by an escape",
    lastOfQuote('"\\u0061mountIn":"77"'),
    INVALID,
    "quote.routePlan",
  ],
  [
    "a promise twice, the last a fortune",
    lastOfQuote(`"amountOut":"${10n ** 40n}"`),
    "PRICE_MOVED 409",
  ],
  ["the sender twice, the first another", more(`"publicKey":"${STRANGER}"`), OURS],
  ["the quote twice, the last none", last('"quote":{}'), INVALID, "quote.tokenA"],
  [
    "a recipient twice, the last a token",
    last(`"recipient":"${STRANGER}","recipient":"${USDC}"`),
    INVALID,
    "recipient",
  ],
  [
    "a fee twice, the last above the cap",
    last(`"partnerFees":{"recipient":"${STRANGER}","fee":1,"fee":1001}`),
    INVALID,
    "partnerFees.fee",
  ],
  ["a prototype", more('"__proto__":{"slippage":50}'), INVALID, "__proto__"],
  ["a prototype of the quote", moreOfQuote('"__proto__":{"amountIn":"5"}'), OURS],
  ["a prototype of a step", moreOfStep('"__proto__":{"aToB":false}'), OURS],
  ["a constructor", more('"constructor":{"prototype":{"recipient":"0x"}}'), INVALID, "constructor"],
  ["a blank before a key", more('" slippage":50'), INVALID, " slippage"],
  ["a blank before an amount's key", moreOfQuote('" amountIn":"5"'), OURS],
  ["a Cyrillic letter in an amount's key", moreOfQuote('"аmountIn":"5"'), OURS],
  [
    "a Cyrillic letter in the recipient's key",
    more(`"reсipient":"${STRANGER}"`),
    INVALID,
    "reсipient",
  ],
  [
    "a full-width letter in the sender's key",
    more(`"ｐublicKey":"${STRANGER}"`),
    INVALID,
    "ｐublicKey",
  ],
  ["a zero width space in a step's key", moreOfStep(`"poolAddress\\u200b":"${STRANGER}"`), OURS],
  ["another case of a key", more(`"Recipient":"${STRANGER}"`), INVALID, "Recipient"],
  ["an empty key", more('"":1'), INVALID, ""],
  ["a target and calldata", more(`"to":"${STRANGER}"`), INVALID, "to"],
  [
    "a target and calldata in the quote",
    moreOfQuote(`"to":"${STRANGER}","data":"0xff","value":"1"`),
    OURS,
  ],
  ["another chain", more('"chainId":8453'), INVALID, "chainId"],
  ["another chain in the quote", moreOfQuote('"chainId":8453,"network":"BASE"'), OURS],
  ["a foreign pool", poolIs(() => foreignPool), "UNKNOWN_POOL 422"],
  ["a token as a pool", poolIs(() => USDC), "UNKNOWN_POOL 422"],
  [
    "a pool with a look-alike x",
    poolIs(() => STRANGER.replace("x", "х")),
    INVALID,
    "quote.routePlan.0.poolAddress",
  ],
  [
    "a step turned around",
    (text) => text.replace('"aToB":true', '"aToB":false'),
    INVALID,
    "quote.routePlan.0.tokenA",
  ],
  [
    "tokens exchanged",
    (text) =>
      text
        .replace(`"tokenA":"${USDC}"`, `"tokenA":"${WETH}"`)
        .replace(`"tokenB":"${WETH}"`, `"tokenB":"${USDC}"`),
    INVALID,
    "quote.routePlan.0.tokenA",
  ],
  [
    "a cycle",
    planIs((step) => `[${step},${step.replace('"aToB":true', '"aToB":false')},${step}]`),
    INVALID,
    "quote.routePlan.1.tokenB",
  ],
  ["a pool twice", planIs((step) => `[${step},${step}]`), INVALID, "quote.routePlan"],
  [
    "the router as recipient",
    last('"recipient":"0x66a9893cc07d91d95644aedd05d03f95e1dba8af"'),
    INVALID,
    "recipient",
  ],
  ["nobody as recipient", last(`"recipient":"0x${"0".repeat(40)}"`), INVALID, "recipient"],
  ["a negative amount", lastOfQuote('"amountIn":"-1"'), INVALID, "quote.amountIn"],
  ["an amount of 2^256", lastOfQuote(`"amountIn":"${2n ** 256n}"`), INVALID, "quote.amountIn"],
  [
    "an amount of fifty thousand digits",
    lastOfQuote(`"amountIn":"${"9".repeat(50_000)}"`),
    INVALID,
    "quote.amountIn",
  ],
  ["a slippage without end", last('"slippage":1e999'), INVALID, "slippage"],
  [
    "a fee above the cap",
    last(`"partnerFees":{"recipient":"${STRANGER}","fee":1001}`),
    INVALID,
    "partnerFees.fee",
  ],
  ["a deadline without end", last('"deadline":1e300'), INVALID, "deadline"],
];

describe("an attack on a swap request, through the socket", () => {
  for (const [name, change, outcome, place] of ATTACKS) {
    it(`comes to nothing: ${name}`, async () => {
      const text = change(sound);
      expect(text).not.toBe(sound);
      const answer = await service.post("/ETH/swap", text);
      if (outcome === OURS) {
        expect(answer.text).toBe((await service.post("/ETH/swap", sound)).text);
        expect(answer.status).toBe(200);
        return;
      }
      const { code, status, type, title, detail, issues = [] } = answer.json;
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect([`${code} ${status}`, answer.status, type]).toEqual([
        outcome,
        status,
        `/docs#${code}`,
      ]);
      expect([typeof title, typeof detail]).toEqual(["string", "string"]);
      expect(answer.text.length).toBeLessThan(8_192);
      if (place === undefined) return;
      expect(issues.map(({ path }: { path: unknown[] }) => path.join("."))).toContain(place);
    });
  }

  it("made for one chain comes to nothing on another", async () => {
    const { status, json } = await service.post("/BASE/swap", sound);
    expect([status, json.code]).toEqual([404, "UNKNOWN_TOKEN"]);
  });

  it("leaves the service as it was", async () => {
    const { status, json } = await service.post("/ETH/swap", sound);
    expect([status, json.transactions.length]).toEqual([200, 3]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
