import { decodeAbiParameters, decodeFunctionData, parseAbi, parseAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import { executorAbi } from "../../src/executor/abi.ts";
import { reviewSwap } from "../../src/review/reviewSwap.ts";
import { openRouters } from "../../src/routers/openRouters.ts";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import type { SwapOrder } from "../../src/SwapOrder.ts";
import type { RouterTable } from "../../src/SwapRouter.ts";
import {
  FRIEND,
  type Hop,
  NOW_SECONDS,
  orderOf,
  PARTNER,
  pool,
  SENDER,
  TABLE,
  testMarket,
  testTerms,
  token,
  WRAPPED,
} from "../market.ts";

const market = testMarket();
const terms = testTerms(market);
const routers = openRouters(TABLE);

const ROUTER = "0x0000000000000000000000000000000000000002";
const ALL = 1n << 255n;
const executeAbi = parseAbi(["function execute(bytes,bytes[],uint256) payable"]);

function intentOf(paths: Hop[][], order: Partial<SwapOrder> = {}): SwapIntent {
  const intent = reviewSwap(orderOf(market, paths, order), terms);
  if ("refused" in intent) throw new Error(intent.detail);
  return intent;
}

function chosen(intent: SwapIntent, table: RouterTable = TABLE) {
  const router = openRouters(table).choose(intent);
  if ("refused" in router) throw new Error(router.detail);
  return router;
}

const PARAMETERS: Readonly<Record<string, string>> = {
  "00": "address recipient, uint256 amount, uint256 limit, bytes path, bool payerIsUser",
  "01": "address recipient, uint256 amount, uint256 limit, bytes path, bool payerIsUser",
  "04": "address token, address recipient, uint256 amount",
  "06": "address token, address recipient, uint256 amount",
  "08": "address recipient, uint256 amount, uint256 limit, address[] path, bool payerIsUser",
  "09": "address recipient, uint256 amount, uint256 limit, address[] path, bool payerIsUser",
  "0b": "address recipient, uint256 amount",
  "0c": "address recipient, uint256 amount",
};

/** What the Universal Router is told to do: codes with what they are given. */
function commandsOf(intent: SwapIntent) {
  const router = chosen(intent);
  expect(router.kind).toBe("universal-router");
  const { to, data, value } = router.encode(intent);
  expect(to).toBe(TABLE.universalRouter!.address);
  const { args } = decodeFunctionData({ abi: executeAbi, data });
  const [codes, inputs, deadline] = args;
  expect(deadline).toBe(BigInt(NOW_SECONDS + 1_200));
  const commands = inputs.map((input, place) => {
    const code = codes.slice(2 + 2 * place, 4 + 2 * place);
    const values = decodeAbiParameters(parseAbiParameters(PARAMETERS[code]!), input);
    return [code, ...values.map((own) => (typeof own === "string" ? own.toLowerCase() : own))];
  });
  return { commands, value };
}

const addresses = (...numbers: number[]) =>
  numbers.map((n) => expect.stringMatching(new RegExp(token(n), "i")) as unknown);
/** As V3 has it, with fees of 500 pips. */
const packed = (...numbers: number[]) =>
  `0x${numbers.map((n) => token(n).slice(2)).join("0001f4")}`;

describe("through the Universal Router", () => {
  it("one path that ends in a pair pays the recipient straight, with the minimum", () => {
    const v2 = intentOf([[["UNISWAP_V2", 2, 1]]], { recipient: FRIEND });
    expect(commandsOf(v2)).toEqual({
      value: 0n,
      commands: [["08", FRIEND, v2.amountIn, v2.amountOutMin, addresses(2, 1), true]],
    });
  });

  it("what ends in a pool of V3 is swept from the router, where the minimum stands", () => {
    const intent = intentOf([
      [
        ["UNISWAP_V3", 1, 2],
        ["UNISWAP_V3", 2, 3],
      ],
    ]);
    expect(commandsOf(intent).commands).toEqual([
      ["00", ROUTER, intent.amountIn, 0n, packed(1, 2, 3), true],
      ["04", token(3), SENDER, intent.amountOutMin],
    ]);
  });

  it("pools of V2 are paid by those before, and pools of V3 take what the router has", () => {
    const intent = intentOf([
      [
        ["UNISWAP_V3", 0, 1],
        ["UNISWAP_V2", 1, 2],
        ["UNISWAP_V2", 2, 3],
        ["UNISWAP_V3", 3, 4],
      ],
    ]);
    expect(commandsOf(intent).commands).toEqual([
      ["00", pool("UNISWAP_V2", 1, 2), intent.amountIn, 0n, packed(0, 1), true],
      ["08", ROUTER, 0n, 0n, addresses(1, 2, 3), false],
      ["00", ROUTER, ALL, 0n, packed(3, 4), false],
      ["04", token(4), SENDER, intent.amountOutMin],
    ]);
  });

  it("native input is wrapped first, and the router pays with it", () => {
    const intent = intentOf(
      [
        [
          ["UNISWAP_V2", 0, 1],
          ["UNISWAP_V3", 1, 2],
        ],
      ],
      { isNativeIn: true },
    );
    expect(commandsOf(intent)).toEqual({
      value: intent.amountIn,
      commands: [
        ["0b", ROUTER, intent.amountIn],
        ["08", ROUTER, intent.amountIn, 0n, addresses(0, 1), false],
        ["00", ROUTER, ALL, 0n, packed(1, 2), false],
        ["04", token(2), SENDER, intent.amountOutMin],
      ],
    });
  });

  it("the outputs of several paths are gathered, and the minimum stands on all of them", () => {
    const intent = intentOf([
      [["UNISWAP_V2", 0, 1]],
      [
        ["UNISWAP_V3", 0, 2],
        ["UNISWAP_V3", 2, 1],
      ],
    ]);
    const [first, second] = intent.paths;
    expect(commandsOf(intent).commands).toEqual([
      ["08", ROUTER, first!.amountIn, 0n, addresses(0, 1), true],
      ["00", ROUTER, second!.amountIn, 0n, packed(0, 2, 1), true],
      ["04", token(1), SENDER, intent.amountOutMin],
    ]);
  });

  it("a fee is taken off in the output token, in the wrapped one where it is native", () => {
    const fee = { recipient: PARTNER, bps: 25 };
    const plain = intentOf([[["UNISWAP_V3", 0, 1]]], { fee, recipient: FRIEND });
    expect(commandsOf(plain).commands).toEqual([
      ["00", ROUTER, plain.amountIn, 0n, packed(0, 1), true],
      ["06", token(1), PARTNER, 25n],
      ["04", token(1), FRIEND, plain.amountOutMin],
    ]);
    const native = intentOf([[["UNISWAP_V2", 1, 0]]], { fee, isNativeOut: true });
    expect(commandsOf(native)).toEqual({
      value: 0n,
      commands: [
        ["08", ROUTER, native.amountIn, 0n, addresses(1, 0), true],
        ["06", WRAPPED, PARTNER, 25n],
        ["0c", SENDER, native.amountOutMin],
      ],
    });
  });

  it("exact output names the output of each path, and its share of the most that may go in", () => {
    const intent = intentOf(
      [
        [["UNISWAP_V2", 1, 2]],
        [
          ["UNISWAP_V3", 1, 3],
          ["UNISWAP_V3", 3, 2],
        ],
      ],
      { kind: "exactOut" },
    );
    const [first, second] = intent.paths;
    const { commands } = commandsOf(intent);
    expect(commands).toEqual([
      ["09", ROUTER, first!.amountOut, expect.any(BigInt), addresses(1, 2), true],
      ["01", ROUTER, second!.amountOut, expect.any(BigInt), packed(2, 3, 1), true],
      ["04", token(2), SENDER, intent.amountOut],
    ]);
    const [share, otherShare] = commands.map((command) => command[3] as bigint);
    expect(share).toBeGreaterThan(first!.amountIn);
    expect(otherShare).toBeGreaterThan(second!.amountIn);
    expect(share! + otherShare!).toBeLessThanOrEqual(intent.amountInMax);
    expect(share! + otherShare!).toBeGreaterThan(intent.amountInMax - 3n);
  });

  it("an exact output is swept from the router, of one path of pairs as well", () => {
    const intent = intentOf([[["UNISWAP_V2", 1, 2]]], { kind: "exactOut", recipient: FRIEND });
    expect(commandsOf(intent).commands).toEqual([
      ["09", ROUTER, intent.amountOut, intent.amountInMax, addresses(1, 2), true],
      ["04", token(2), FRIEND, intent.amountOut],
    ]);
  });

  it("what an exact output leaves of a native input goes back to the sender", () => {
    const change = { kind: "exactOut", isNativeIn: true, recipient: FRIEND } as const;
    const intent = intentOf([[["UNISWAP_V3", 0, 1]]], change);
    expect(intent.amountInMax).toBeGreaterThan(intent.amountIn);
    expect(commandsOf(intent)).toEqual({
      value: intent.amountInMax,
      commands: [
        ["0b", ROUTER, intent.amountInMax],
        ["01", ROUTER, intent.amountOut, intent.amountInMax, packed(1, 0), false],
        ["04", token(1), FRIEND, intent.amountOut],
        ["0c", SENDER, 0n],
      ],
    });
  });

  it("an exact output without room becomes an exact input, of mixed pools as well", () => {
    const change = { kind: "exactOut", isNativeIn: true, slippagePpm: 0 } as const;
    const intent = intentOf(
      [
        [
          ["UNISWAP_V3", 0, 1],
          ["UNISWAP_V2", 1, 2],
        ],
      ],
      change,
    );
    expect(commandsOf(intent)).toEqual({
      value: intent.amountIn,
      commands: [
        ["0b", ROUTER, intent.amountIn],
        ["00", pool("UNISWAP_V2", 1, 2), intent.amountIn, 0n, packed(0, 1), false],
        ["08", SENDER, 0n, intent.amountOut, addresses(1, 2), false],
      ],
    });
  });
});

describe("through the executor", () => {
  const read = (intent: SwapIntent) => {
    const router = chosen(intent);
    expect(router.kind).toBe("executor");
    const { data, value } = router.encode(intent);
    const { functionName, args } = decodeFunctionData({ abi: executorAbi, data });
    return { functionName, order: args![0], value };
  };

  it("go pools that the Universal Router cannot reach", () => {
    const intent = intentOf([[["OTHER_V2", 0, 1]], [["UNISWAP_V2", 0, 1]]], { isNativeIn: true });
    expect(read(intent)).toMatchObject({
      functionName: "swapExactInput",
      order: { amountIn: intent.amountIn, amountOutMin: intent.amountOutMin, fee: 0n },
      value: intent.amountIn,
    });
  });

  it("goes an exact output of mixed pools, with the most that may go in", () => {
    const mixed: Hop[][] = [
      [
        ["UNISWAP_V3", 0, 1],
        ["UNISWAP_V2", 1, 2],
      ],
    ];
    const intent = intentOf(mixed, { kind: "exactOut", isNativeIn: true });
    expect(read(intent)).toMatchObject({
      functionName: "swapExactOutput",
      order: { amountIn: intent.amountInMax, amountOutMin: intent.amountOut },
      value: intent.amountInMax,
    });
  });

  it("goes an exact output without room as an exact input", () => {
    const change = { kind: "exactOut", slippagePpm: 0, isNativeIn: true } as const;
    const intent = intentOf([[["OTHER_FIRST", 0, 1]]], change);
    expect(read(intent)).toMatchObject({
      functionName: "swapExactInput",
      order: { amountIn: intent.amountIn, amountOutMin: intent.amountOut },
      value: intent.amountIn,
    });
  });
});

describe("through the wrapped native token", () => {
  const wrap: SwapOrder = {
    ...{
      sender: SENDER,
      tokenIn: WRAPPED,
      tokenOut: WRAPPED,
      isNativeIn: true,
      isNativeOut: false,
    },
    ...{ kind: "exactIn", amountIn: 5n, amountOut: 5n, steps: [], slippagePpm: 0 },
  };
  const of = (order: Partial<SwapOrder>): SwapIntent => {
    const intent = reviewSwap({ ...wrap, ...order }, terms);
    if ("refused" in intent) throw new Error(intent.detail);
    return intent;
  };

  it("goes native to wrapped and back", () => {
    const deposit = chosen(of({})).encode(of({}));
    expect(deposit).toEqual({ to: WRAPPED, data: "0xd0e30db0", value: 5n });
    const back = of({ isNativeIn: false, isNativeOut: true });
    const abi = parseAbi(["function withdraw(uint256)"]);
    const { to, data, value } = chosen(back).encode(back);
    expect({ to, value, ...decodeFunctionData({ abi, data }) }).toEqual({
      ...{ to: WRAPPED, value: 0n, functionName: "withdraw", args: [5n] },
    });
  });

  it("goes neither a fee nor a payment to another, and then nobody goes", () => {
    expect(routers.choose(of({ recipient: FRIEND }))).toMatchObject({
      code: "NO_ROUTER",
      detail: expect.stringMatching(/^wrapper: .*recipient; universal-router: .*; executor: /),
    });
    expect(routers.choose(of({ fee: { recipient: PARTNER, bps: 1 } }))).toMatchObject({
      code: "NO_ROUTER",
      detail: expect.stringContaining("wrapper: it pays no fee"),
    });
  });
});

describe("where routers are missing", () => {
  it("the refusal names what stands in the way of each that is there", () => {
    const { executor: _, ...uniswapOnly } = TABLE;
    const intent = intentOf([[["OTHER_V2", 0, 1]]]);
    expect(openRouters(uniswapOnly).choose(intent)).toEqual({
      ...{ refused: true, code: "NO_ROUTER" },
      detail: `wrapper: it only wraps and unwraps; universal-router: it does not reach pool ${pool("OTHER_V2", 0, 1)} of OTHER_V2`,
    });
  });

  it("a Universal Router of one version of pools reaches no others", () => {
    const { v2DexId: _, ...v3Only } = TABLE.universalRouter!;
    const table = { ...TABLE, universalRouter: v3Only };
    expect(chosen(intentOf([[["UNISWAP_V3", 0, 1]]]), table).kind).toBe("universal-router");
    expect(chosen(intentOf([[["UNISWAP_V2", 0, 1]]]), table).kind).toBe("executor");
  });

  it("amounts that the Universal Router would cut are left to the executor", () => {
    const intent = intentOf([[["UNISWAP_V3", 0, 1]]]);
    expect(chosen({ ...intent, amountInMax: 1n << 160n }).kind).toBe("executor");
    expect(chosen({ ...intent, amountOut: 1n << 160n }).kind).toBe("executor");
  });
});
