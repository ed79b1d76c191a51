/** A swap as its bytes say, whatever the service says about it. */
export interface ReadSwap {
  /** Lower case; undefined where the bytes name none, or the native token. */
  readonly tokenIn?: string;
  readonly tokenOut?: string;
  /** The largest input, in smallest units; undefined where the bytes set it for each path alone. */
  readonly mostIn?: bigint;
  readonly leastOut: bigint;
  /** Undefined where it is the sender. */
  readonly recipient?: string;
  readonly feeBps: number;
  readonly feeRecipient?: string;
  /** Unix seconds; undefined where there is none. */
  readonly deadline?: number;
}

/**
 * Reads the limits, the recipient and the deadline of a call of a router or of the wrapped native
 * token. Undefined for any other bytes.
 */
export function readSwapCall({
  data,
  value,
}: {
  /** `0x` and hexadecimal digits. */
  readonly data: string;
  /** Wei. */
  readonly value: string | bigint;
}): ReadSwap | undefined {
  try {
    const selector = data.slice(0, 10);
    const words = new Words(data.slice(10));
    if (EXECUTOR.includes(selector)) return readOrder(words);
    if (selector === EXECUTE) return readCommands(words);
    if (selector === DEPOSIT) return { mostIn: BigInt(value), leastOut: BigInt(value), feeBps: 0 };
    if (selector === WITHDRAW) return { mostIn: words.at(0), leastOut: words.at(0), feeBps: 0 };
  } catch {
    // The data is truncated, or not hexadecimal.
  }
  return undefined;
}

/** Exact input and exact output of our executor, each without and with a permit. */
const EXECUTOR = ["0x5e3532a4", "0x2b647f0a", "0x63f40502", "0x838e8137"];
/** `execute(bytes,bytes[],uint256)` of the Universal Router. */
const EXECUTE = "0x3593564c";
/** Of the wrapped native token. */
const [DEPOSIT, WITHDRAW] = ["0xd0e30db0", "0x2e1a7d4d"];

/** Words of 32 bytes, by their place. */
class Words {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  at(place: number): bigint {
    const digits = this.#digits.slice(64 * place, 64 * (place + 1));
    if (digits.length < 64) throw new RangeError("The data ends too early");
    return BigInt(`0x${digits}`);
  }

  number(place: number): number {
    return Number(this.at(place));
  }

  address(place: number): string {
    return addressOf(this.at(place));
  }

  /** The words from an offset in bytes on. */
  from(bytes: number): Words {
    return new Words(this.#digits.slice(2 * bytes));
  }

  /** The bytes behind a word with their length, as digits. */
  bytes(): string {
    return this.#digits.slice(64, 64 + 2 * this.number(0));
  }
}

const addressOf = (word: bigint): string =>
  `0x${(word & ((1n << 160n) - 1n)).toString(16).padStart(40, "0")}`;

/** `Order`: token in, token out, most in, least out, recipient, fee, deadline, native output. */
function readOrder(words: Words): ReadSwap {
  const fee = words.at(5);
  return {
    ...{ tokenIn: words.address(0), tokenOut: words.address(1) },
    ...{ mostIn: words.at(2), leastOut: words.at(3), recipient: words.address(4) },
    ...{ feeBps: Number(fee >> 160n), feeRecipient: addressOf(fee), deadline: words.number(6) },
  };
}

// Commands of the Universal Router that pay out; see its `Commands.sol`.
const [V3_SWAP, V2_SWAP, SWEEP, PAY_PORTION, UNWRAP] = ["00", "08", "04", "06", "0c"] as const;
/** The router's constants for the recipients: the sender, and the router itself. */
const [SENDER, ROUTER] = [1n, 2n];

interface Paid extends Pick<ReadSwap, "leastOut" | "tokenOut"> {
  readonly to: bigint;
}

/** The minimum output, from the last command that has one, and the fee before it. */
function readCommands(words: Words): ReadSwap | undefined {
  const codes = words.from(words.number(0)).bytes();
  const inputs = words.from(words.number(1) + 32);
  let paid: Paid | undefined;
  let fee = { feeBps: 0 } as { readonly feeBps: number; readonly feeRecipient?: string };
  for (let at = 0; 2 * at < codes.length; at++) {
    const code = codes.slice(2 * at, 2 * at + 2);
    // A word with the length comes before each input.
    const input = inputs.from(inputs.number(at) + 32);
    const pay = (to: bigint, leastOut: bigint, tokenOut?: string) => {
      if (to === ROUTER || leastOut === 0n) return;
      paid = { to, leastOut, ...(tokenOut !== undefined && { tokenOut }) };
    };
    if (code === SWEEP) pay(input.at(1), input.at(2), input.address(0));
    else if (code === UNWRAP) pay(input.at(0), input.at(1));
    else if (code === V3_SWAP || code === V2_SWAP) {
      // The path: packed tokens and fees of V3, a list of addresses of V2.
      const path = input.from(input.number(3));
      const isV3 = code === V3_SWAP;
      const tokenOut = isV3 ? `0x${path.bytes().slice(-40)}` : path.address(path.number(0));
      pay(input.at(0), input.at(2), tokenOut.toLowerCase());
    } else if (code === PAY_PORTION) {
      fee = { feeBps: input.number(2), feeRecipient: input.address(1) };
    }
  }
  if (paid === undefined) return undefined;
  const { to, ...rest } = paid;
  return {
    ...{ ...rest, deadline: words.number(2), ...fee },
    ...(to !== SENDER && { recipient: addressOf(to) }),
  };
}
