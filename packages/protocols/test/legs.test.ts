import {
  type CalldataLeg,
  calldataProtocols,
  type DecodedLeg,
  legDecoders,
  type ManagedPoolKey,
  placedLegDecoder,
  placedLegDigits,
  type VaultPoolKey,
} from "@millrace/protocols";
import { law } from "@millrace/testing";
import fc from "fast-check";
import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem";
import { describe, expect, it } from "vitest";

// What `calldata.ts` of each family writes and `decode.ts` reads, which share no code.

type Hex = `0x${string}`;

const anyAddress = fc
  .bigInt({ min: 0n, max: (1n << 160n) - 1n })
  .map((value): Hex => `0x${value.toString(16).padStart(40, "0")}`);

const anyLeg: fc.Arbitrary<CalldataLeg> = fc.record({
  pool: anyAddress,
  tokenOut: anyAddress,
  zeroForOne: fc.boolean(),
  feePips: fc.integer({ min: 0, max: 999_999 }),
  parameter: fc.integer({ min: 0, max: 1 }),
  key: fc.record({
    manager: anyAddress,
    fee: fc.integer({ min: 0, max: 0xffffff }),
    tickSpacing: fc.integer({ min: 1, max: 32_767 }),
    hooks: anyAddress,
    poolId: fc.tuple(anyAddress, anyAddress).map(([a, b]): Hex => `${a}${b.slice(2, 26)}`),
  }),
});

/** Of a leg that takes `tokenIn`, as the graph knows the pool and the executor calls it. */
function meaningOf(name: string, leg: CalldataLeg, tokenIn: Hex): DecodedLeg {
  const { pool, tokenOut, zeroForOne, feePips, parameter } = leg;
  const plain = { target: pool, pool, tokenOut, zeroForOne };
  if (name === "constant-product") return { ...plain, feePips, parameter };
  if (name === "aerodrome-volatile") return { ...plain, feePips };
  if (name === "curve-stable" || name === "curve-crypto") {
    const [positionIn, positionOut] = zeroForOne ? [0, 1] : [1, 0];
    return {
      ...plain,
      positionIn: leg.positionIn ?? positionIn,
      positionOut: leg.positionOut ?? positionOut,
    };
  }
  if (name === "balancer-v2") {
    const { manager, poolId } = leg.key as Required<VaultPoolKey>;
    return { target: manager, pool: poolId.slice(0, 42) as Hex, poolId, tokenOut, zeroForOne };
  }
  if (name === "balancer-v3") return { ...plain, target: leg.key!.manager };
  if (name !== "uniswap-v4") return plain;
  const { manager, fee, tickSpacing, hooks } = leg.key as ManagedPoolKey;
  const [currency0, currency1] = zeroForOne ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const key = [currency0, currency1, fee, tickSpacing, hooks] as const;
  const types = parseAbiParameters("address, address, uint24, int24, address");
  const id = keccak256(encodeAbiParameters(types, key));
  return { target: manager, pool: id.slice(0, 42) as Hex, tokenOut, zeroForOne };
}

const decoderOf = (name: string) => legDecoders.find((decoder) => decoder.name === name)!;

describe.each(calldataProtocols)("a leg of $name", ({ name, executorLeg }) => {
  const decoder = decoderOf(name);

  it("is read as what was written", () => {
    fc.assert(
      fc.property(anyLeg, anyAddress, (leg, tokenIn) => {
        const digits = executorLeg(leg);
        expect(digits).toMatch(/^[0-9a-f]*$/);
        expect(digits).toHaveLength(2 * decoder.byteCount);
        expect(decoder.read(digits, tokenIn)).toEqual(meaningOf(name, leg, tokenIn));
      }),
      law(`legs of ${name} read back`, 100).options,
    );
  });

  it("is read as something else, or as nothing, with any bit turned", () => {
    fc.assert(
      fc.property(anyLeg, anyAddress, (leg, tokenIn) => {
        const digits = executorLeg(leg);
        const meaning = decoder.read(digits, tokenIn);
        for (let at = 0; at < digits.length; at++) {
          for (const turn of [1, 2, 4, 8]) {
            const digit = (Number.parseInt(digits[at]!, 16) ^ turn).toString(16);
            const turned = digits.slice(0, at) + digit + digits.slice(at + 1);
            expect(decoder.read(turned, tokenIn), `${at} ${turn}`).not.toEqual(meaning);
          }
        }
      }),
      law(`legs of ${name} with a bit turned`, 5).options,
    );
  });
});

describe("legs that say the places of their tokens", () => {
  const decoder = placedLegDecoder("any", 6);

  it("tell which of them goes in and which comes out", () => {
    for (let placeIn = 0; placeIn < 8; placeIn++) {
      for (let placeOut = 0; placeOut < 8; placeOut++) {
        if (placeIn === placeOut) continue;
        const [drawn] = fc.sample(anyLeg, { numRuns: 1, seed: 8 * placeIn + placeOut });
        const positions = { positionIn: placeIn, positionOut: placeOut };
        const { pool, tokenOut } = drawn!;
        const zeroForOne = placeIn === 0;
        const digits = placedLegDigits(6, { ...drawn!, zeroForOne, ...positions });
        expect(digits).toHaveLength(2 * decoder.byteCount);
        const meaning = { target: pool, pool, tokenOut, zeroForOne, ...positions };
        expect(decoder.read(digits, tokenOut)).toEqual(meaning);
        for (let at = 0; at < digits.length; at++) {
          for (const turn of [1, 2, 4, 8]) {
            const digit = (Number.parseInt(digits[at]!, 16) ^ turn).toString(16);
            const turned = digits.slice(0, at) + digit + digits.slice(at + 1);
            expect(decoder.read(turned, tokenOut), `${at} ${turn}`).not.toEqual(meaning);
          }
        }
      }
    }
  });

  it("are those of two tokens by their direction alone", () => {
    const [drawn] = fc.sample(anyLeg, { numRuns: 1, seed: 1 });
    for (const zeroForOne of [true, false]) {
      const [positionIn, positionOut] = zeroForOne ? [0, 1] : [1, 0];
      const read = decoder.read(placedLegDigits(6, { ...drawn!, zeroForOne }), drawn!.pool);
      expect(read).toMatchObject({ zeroForOne, positionIn, positionOut });
    }
  });
});

describe("the legs of the executor", () => {
  it("have a writer and a reader for each family that has any", () => {
    expect(legDecoders.map(({ name }) => name)).toEqual(calldataProtocols.map(({ name }) => name));
  });

  it("know a pool of Uniswap V4 by its id, as the chain does", () => {
    // Native and USDC at 0.05 % on Ethereum.
    const id = "0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27";
    const native: Hex = `0x${"00".repeat(20)}`;
    const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
    const { executorLeg } = calldataProtocols.find(({ name }) => name === "uniswap-v4")!;
    const key = { manager: "0x000000000004444c5dc75cb358380d2e3de08a90" } as const;
    const leg = (zeroForOne: boolean): CalldataLeg => ({
      ...{ pool: id.slice(0, 42) as Hex, tokenOut: zeroForOne ? usdc : native, zeroForOne },
      ...{ feePips: 500, parameter: 10 },
      key: { ...key, fee: 500, tickSpacing: 10, hooks: native },
    });
    for (const zeroForOne of [true, false]) {
      const tokenIn = zeroForOne ? native : usdc;
      expect(decoderOf("uniswap-v4").read(executorLeg(leg(zeroForOne)), tokenIn)).toEqual({
        ...{ target: key.manager, pool: id.slice(0, 42), zeroForOne },
        tokenOut: zeroForOne ? usdc : native,
      });
    }
  });

  it("have none of a pool within a contract that nobody named", () => {
    const { executorLeg } = calldataProtocols.find(({ name }) => name === "uniswap-v4")!;
    const leg = { pool: "0x01", tokenOut: "0x02", zeroForOne: true, feePips: 1, parameter: 1 };
    expect(() => executorLeg(leg as CalldataLeg)).toThrow(/no key/);
  });
});
