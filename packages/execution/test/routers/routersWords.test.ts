import { calldataProtocols, type ManagedPoolKey } from "@millrace/protocols";
import { law } from "@millrace/testing";
import fc from "fast-check";
import {
  type AbiParameter,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
} from "viem";
import { describe, expect, it } from "vitest";
import { executorAbi } from "../../src/executor/abi.ts";
import type { Permit } from "../../src/Permit.ts";
import { Commands } from "../../src/routers/commands.ts";
import { executorRouter } from "../../src/routers/executorRouter.ts";
import type { IntentPath, SwapIntent, SwapLeg } from "../../src/SwapIntent.ts";
import { legBytes } from "../decode/decodeSupport.ts";
import { address, TABLE } from "../market.ts";

// The encoders write words by hand; viem writes the same from the contracts' interfaces.

// Not 0, which stands for the native token: legs that wrap it have tests of their own.
const anyAddress = fc
  .bigInt({ min: 1n, max: (1n << 160n) - 1n })
  .map((value) => `0x${value.toString(16).padStart(40, "0")}` as const);
const anyAmount = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });
const anyFeePips = fc.integer({ min: 0, max: 999_999 });

const anyLeg: fc.Arbitrary<SwapLeg> = fc.record({
  pool: anyAddress,
  dexId: fc.constant("ANY"),
  protocol: fc.constantFrom("constant-product", "concentrated-liquidity"),
  tokenIn: anyAddress,
  tokenOut: anyAddress,
  zeroForOne: fc.boolean(),
  feePips: anyFeePips,
  parameter: fc.integer({ min: 0, max: 1 }),
  key: fc.record({
    manager: anyAddress,
    fee: fc.integer({ min: 0, max: 0xffffff }),
    tickSpacing: fc.integer({ min: 1, max: 32_767 }),
    hooks: anyAddress,
  }),
  amountIn: anyAmount,
  amountOut: anyAmount,
});
const anyPath: fc.Arbitrary<IntentPath> = fc.record({
  amountIn: anyAmount,
  amountOut: anyAmount,
  legs: fc.array(anyLeg, { minLength: 1, maxLength: 4 }),
});
const anyIntent: fc.Arbitrary<SwapIntent> = fc.record(
  {
    chainId: fc.constant(1),
    kind: fc.constantFrom("exactIn", "exactOut"),
    sender: anyAddress,
    recipient: anyAddress,
    tokenIn: anyAddress,
    tokenOut: anyAddress,
    isNativeIn: fc.boolean(),
    isNativeOut: fc.boolean(),
    wrappedNative: anyAddress,
    paths: fc.array(anyPath, { minLength: 1, maxLength: 6 }),
    amountIn: anyAmount,
    amountOut: anyAmount,
    amountInMax: anyAmount,
    amountOutMin: anyAmount,
    fee: fc.record({ recipient: anyAddress, bps: fc.integer({ min: 1, max: 1_000 }) }),
    feeAmount: anyAmount,
    deadline: fc.integer({ min: 0, max: 2 ** 40 }),
    blockNumber: fc.nat(),
  },
  {
    requiredKeys: [
      ...["chainId", "kind", "sender", "recipient", "tokenIn", "tokenOut"],
      ...["isNativeIn", "isNativeOut", "wrappedNative", "paths", "amountIn", "amountOut"],
      ...["amountInMax", "amountOutMin", "feeAmount", "deadline", "blockNumber"],
    ] as never,
  },
) as fc.Arbitrary<SwapIntent>;
const anyPermit: fc.Arbitrary<Required<Permit>> = fc.record({
  signature: fc
    .uint8Array({ minLength: 65, maxLength: 65 })
    .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}` as const),
  amount: fc.bigInt({ min: 0n, max: (1n << 160n) - 1n }),
  deadline: anyAmount,
  nonce: fc.bigInt({ min: 0n, max: (1n << 48n) - 1n }),
  expiration: fc.bigInt({ min: 0n, max: (1n << 48n) - 1n }),
});

describe("calldata of the executor", () => {
  const router = executorRouter(TABLE.executor!);

  it("is what viem makes of the same order, byte for byte", () => {
    fc.assert(
      fc.property(anyIntent, fc.option(anyPermit), (intent, permit) => {
        const isInput = intent.kind === "exactIn" || intent.amountInMax === intent.amountIn;
        const { fee } = intent;
        const order = {
          ...{ tokenIn: intent.tokenIn, tokenOut: intent.tokenOut, recipient: intent.recipient },
          amountIn: isInput ? intent.amountIn : intent.amountInMax,
          amountOutMin: intent.amountOutMin,
          fee: fee === undefined ? 0n : (BigInt(fee.bps) << 160n) + BigInt(fee.recipient),
          deadline: BigInt(intent.deadline),
          nativeOut: intent.isNativeOut,
        };
        const paths = intent.paths.map(({ amountIn, amountOut, legs }) => ({
          amount: isInput ? amountIn : amountOut,
          legs: concatHex(legs.map(legBytes)),
        }));
        const data =
          permit === null
            ? encodeFunctionData({
                abi: executorAbi,
                functionName: isInput ? "swapExactInput" : "swapExactOutput",
                args: [order, paths],
              })
            : encodeFunctionData({
                abi: executorAbi,
                functionName: isInput ? "swapExactInputWithPermit" : "swapExactOutputWithPermit",
                args: [order, paths, signedTerms(permit)],
              });
        expect(router.encode(intent, permit ?? undefined)).toEqual({
          to: TABLE.executor,
          data,
          value: intent.isNativeIn ? order.amountIn : 0n,
        });
      }),
      law("calldata of the executor as viem makes it", 200).options,
    );
  });

  function signedTerms({ amount, deadline, signature }: Permit) {
    const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)];
    const byte = Number.parseInt(signature.slice(130), 16);
    const v = byte < 27 ? byte + 27 : byte;
    return { amount, deadline, v, r: `0x${r}`, s: `0x${s}` } as const;
  }
});

describe("inputs of the Universal Router's commands", () => {
  const executeAbi = parseAbi(["function execute(bytes,bytes[],uint256) payable"]);
  const SWAP = parseAbiParameters("address, uint256, uint256, bytes, bool");
  const PAIR_SWAP = parseAbiParameters("address, uint256, uint256, address[], bool");
  const PAYMENT = parseAbiParameters("address, address, uint256");
  const ACTIONS = parseAbiParameters("bytes, bytes[]");
  const SETTLE = parseAbiParameters("address, uint256, bool");
  const MANAGED_SWAP = parseAbiParameters([
    "Parameters parameters",
    "struct Parameters { address currency; PathKey[] path; uint128 amount; uint128 limit; }",
    "struct PathKey { address token; uint24 fee; int24 tickSpacing; address hooks; bytes data; }",
  ]);
  const WRAP = parseAbiParameters("address, uint256");
  const PERMIT = parseAbiParameters([
    "PermitSingle permit, bytes signature",
    "struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }",
    "struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }",
  ]);

  /** A command: what writes it, its code, and what viem makes of it. */
  interface Command {
    readonly write: (commands: Commands) => void;
    readonly code: string;
    readonly input: `0x${string}`;
  }

  const encode = <A extends ReadonlyArray<AbiParameter>>(parameters: A, values: unknown) =>
    encodeAbiParameters(parameters, values as never);

  const linked = (legs: ReadonlyArray<SwapLeg>): SwapLeg[] =>
    legs.map((leg, place) => ({ ...leg, tokenIn: legs[place - 1]?.tokenOut ?? leg.tokenIn }));
  const tokensOf = (legs: ReadonlyArray<SwapLeg>) => [
    legs[0]!.tokenIn,
    ...legs.map(({ tokenOut }) => tokenOut),
  ];

  /** Token, fee, token, … */
  function packedPath(tokens: ReadonlyArray<SwapLeg["pool"]>, fees: ReadonlyArray<number>) {
    const types = tokens.flatMap((_, place) => (place === 0 ? ["address"] : ["uint24", "address"]));
    const values = tokens.flatMap((own, place) => (place === 0 ? [own] : [fees[place - 1], own]));
    return encodePacked(types as never, values as never);
  }

  const commandOf = (family: string) =>
    calldataProtocols.find(({ name }) => name === family)!.universalRouter!;

  const anySwap = (amounts: fc.Arbitrary<bigint>) =>
    fc.record({
      legs: fc.array(anyLeg, { minLength: 1, maxLength: 4 }).map(linked),
      recipient: anyAddress,
      isPaidBySender: fc.boolean(),
      amount: amounts,
      limit: amounts,
      isIn: fc.boolean(),
    });
  type Swap = typeof anySwap extends (amounts: never) => fc.Arbitrary<infer S> ? S : never;

  const writerOf = (family: string, { amount, limit, isIn, ...swap }: Swap) => {
    const { exactIn, exactOut } = commandOf(family);
    return isIn
      ? exactIn({ ...swap, amountIn: amount, amountOutMin: limit })
      : exactOut({ ...swap, amountOut: amount, amountInMax: limit });
  };

  const anyPathSwap: fc.Arbitrary<Command> = fc
    .tuple(anySwap(anyAmount), fc.boolean())
    .map(([swap, isV2]) => {
      const { amount, limit, isIn, recipient, isPaidBySender, legs } = swap;
      const tokens = tokensOf(legs);
      const fees = legs.map(({ feePips }) => feePips);
      const path = isIn ? packedPath(tokens, fees) : packedPath(tokens.reverse(), fees.reverse());
      const rest = [isV2 ? tokensOf(legs) : path, isPaidBySender];
      const family = isV2 ? "constant-product" : "concentrated-liquidity";
      return {
        write: (commands) => commands.swap(writerOf(family, swap)),
        code: isV2 ? (isIn ? "08" : "09") : isIn ? "00" : "01",
        input: encode(isV2 ? PAIR_SWAP : SWAP, [recipient, amount, limit, ...rest]),
      };
    });
  const anyManagedSwap: fc.Arbitrary<Command> = anySwap(
    fc.bigInt({ min: 0n, max: (1n << 127n) - 1n }),
  ).map((swap) => {
    const { amount, limit, isIn, recipient, isPaidBySender, legs } = swap;
    const [first, last] = [legs[0]!.tokenIn, legs.at(-1)!.tokenOut];
    const path = legs.map(({ tokenIn, tokenOut, key }) => {
      const { fee, tickSpacing, hooks } = key as ManagedPoolKey;
      return { token: isIn ? tokenOut : tokenIn, fee, tickSpacing, hooks, data: "0x" };
    });
    const swapped = { currency: isIn ? first : last, path, amount: isIn ? 0n : amount, limit };
    const parts = [
      encode(MANAGED_SWAP, [swapped]),
      encode(SETTLE, [first, isIn ? amount : 0n, isPaidBySender]),
    ];
    const taken = encode(PAYMENT, [last, recipient, 0n]);
    return {
      write: (commands) => commands.swap(writerOf("uniswap-v4", swap)),
      code: "10",
      input: isIn
        ? encode(ACTIONS, ["0x0b070e", [...parts.reverse(), taken]])
        : encode(ACTIONS, ["0x090b0e", [...parts, taken]]),
    };
  });
  const anyPayment: fc.Arbitrary<Command> = fc
    .tuple(anyAddress, anyAddress, anyAmount, fc.nat(1_000), fc.constantFrom(2, 4, 6, 11, 12))
    .map(([token, recipient, amount, bps, command]): Command => {
      const router = "0x0000000000000000000000000000000000000002";
      switch (command) {
        case 2: {
          const input = encode(PAYMENT, [token, router, amount]);
          return { code: "02", input, write: (on) => on.pull(token, amount) };
        }
        case 4: {
          const input = encode(PAYMENT, [token, recipient, amount]);
          return { code: "04", input, write: (on) => on.sweep(token, recipient, amount) };
        }
        case 6: {
          const input = encode(PAYMENT, [token, recipient, BigInt(bps)]);
          return { code: "06", input, write: (on) => on.payPortion(token, recipient, bps) };
        }
        case 11: {
          const input = encode(WRAP, [recipient, amount]);
          return { code: "0b", input, write: (on) => on.wrap(recipient, amount) };
        }
        default: {
          const input = encode(WRAP, [recipient, amount]);
          return { code: "0c", input, write: (on) => on.unwrap(recipient, amount) };
        }
      }
    });
  const anySignature: fc.Arbitrary<Command> = fc
    .tuple(anyPermit, anyAddress, anyAddress)
    .map(([permit, token, spender]) => {
      const { amount, deadline, signature } = permit;
      const [expiration, nonce] = [Number(permit.expiration), Number(permit.nonce)];
      const details = { token, amount, expiration, nonce };
      return {
        write: (commands) => commands.permit(token, spender, permit),
        code: "8a",
        input: encode(PERMIT, [{ details, spender, sigDeadline: deadline }, signature]),
      };
    });

  it("are what viem makes of the same commands, byte for byte", () => {
    const anyCommands = fc.array(fc.oneof(anyPathSwap, anyManagedSwap, anyPayment, anySignature), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(anyCommands, fc.nat(2 ** 31), (written, deadline) => {
        const commands = new Commands();
        for (const { write } of written) write(commands);
        expect(commands.execute(deadline)).toBe(
          encodeFunctionData({
            abi: executeAbi,
            args: [
              `0x${written.map(({ code }) => code).join("")}`,
              written.map(({ input }) => input),
              BigInt(deadline),
            ],
          }),
        );
      }),
      law("commands of the Universal Router as viem makes it", 200).options,
    );
  });

  it("keep the order of words that the contract reads", () => {
    const commands = new Commands();
    commands.sweep(address(1), address(2), 3n);
    const data = commands.execute(4);
    expect(data.slice(0, 10)).toBe("0x3593564c");
    expect(
      data.endsWith(
        `${address(1).slice(2)}${"0".repeat(24)}${address(2).slice(2)}${"3".padStart(64, "0")}`,
      ),
    ).toBe(true);
  });
});
