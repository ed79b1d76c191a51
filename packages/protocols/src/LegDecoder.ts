import type { RouterCommandDecoder } from "./RouterCommandDecoder.ts";

/**
 * Decodes a leg of our executor contract. It shares no code with the encoders, so that a bug in
 * either shows as a difference.
 */
export interface LegDecoder {
  /** `CalldataProtocol.name` of the encoder. */
  readonly name: string;
  /** Length of its legs. */
  readonly byteCount: number;
  /**
   * Decodes `byteCount` bytes, given in lower-case hex digits, that follow a leg which gave
   * `tokenIn`; undefined where they are no leg of this family.
   */
  readonly read: (digits: string, tokenIn: `0x${string}`) => DecodedLeg | undefined;
  /** Of families that the Universal Router reaches. */
  readonly routerCommand?: RouterCommandDecoder;
}

export interface DecodedLeg {
  /** The contract that the executor calls. */
  readonly target: `0x${string}`;
  /** As `CalldataLeg.pool`. */
  readonly pool: `0x${string}`;
  /** Where the contract knows the pool by a longer id: see `VaultPoolKey`. */
  readonly poolId?: `0x${string}`;
  readonly tokenOut: `0x${string}`;
  readonly zeroForOne: boolean;
  /** Where the leg says it. */
  readonly positionIn?: number;
  readonly positionOut?: number;
  readonly feePips?: number;
  /** Of families whose legs differ by `PoolShape.parameter`. */
  readonly parameter?: number;
}

/** Where the parts of a leg begin, in bytes. */
const TARGET_START = 1;
const TOKEN_OUT_START = 21;
export const DATA_START = 41;
const ADDRESS_BYTES = 20;
const DIRECTION_BIT = 128;

/** The parts that legs of all pools have, the kind among them. */
export function readHead(digits: string) {
  const first = readUint(digits, 0, 1);
  const target = readLegAddress(digits, TARGET_START);
  return {
    kind: first % DIRECTION_BIT,
    zeroForOne: first >= DIRECTION_BIT,
    target,
    tokenOut: readLegAddress(digits, TOKEN_OUT_START),
  };
}

export function readUint(digits: string, start: number, bytes: number): number {
  return Number.parseInt(digits.slice(2 * start, 2 * (start + bytes)), 16);
}

export function readLegAddress(digits: string, start: number): `0x${string}` {
  return `0x${digits.slice(2 * start, 2 * (start + ADDRESS_BYTES))}`;
}

/** Legs of nothing but kind, target and token. */
export function plainLegDecoder(name: string, legKind: number): LegDecoder {
  return {
    name,
    byteCount: DATA_START,
    read: (digits) => {
      const { kind, target, tokenOut, zeroForOne } = readHead(digits);
      return kind === legKind ? { target, pool: target, tokenOut, zeroForOne } : undefined;
    },
  };
}

/** Legs with one more byte, whose halves are the positions of input and output. */
export function placedLegDecoder(name: string, legKind: number): LegDecoder {
  return {
    name,
    byteCount: DATA_START + 1,
    read: (digits) => {
      const { kind, target, tokenOut, zeroForOne } = readHead(digits);
      const places = readUint(digits, DATA_START, 1);
      const [positionIn, positionOut] = [places >> 4, places & 0xf];
      // The direction has to agree with the position of the input.
      const isSound = positionIn !== positionOut && zeroForOne === (positionIn === 0);
      if (kind !== legKind || !isSound) return undefined;
      return { target, pool: target, tokenOut, zeroForOne, positionIn, positionOut };
    },
  };
}
