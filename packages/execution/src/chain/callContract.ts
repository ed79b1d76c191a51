import type { Address } from "@millrace/core";
import { Effect, Result } from "effect";
import { type ChainAccess, ChainAccessError } from "../ChainAccess.ts";
import { readBytes } from "./answers.ts";

export interface ContractCall {
  readonly from?: Address;
  readonly to: Address;
  readonly data: `0x${string}`;
}

/**
 * The code, balance or storage that accounts have for the time of a call (`eth_call`'s third
 * parameter).
 */
export type StateOverrides = Readonly<
  Record<
    Address,
    {
      readonly balance?: `0x${string}`;
      readonly code?: `0x${string}`;
      readonly stateDiff?: Readonly<Record<`0x${string}`, `0x${string}`>>;
    }
  >
>;

/**
 * What a contract returns on the newest block; `0x` where there is no contract. The call names the
 * block `latest`: the newest number changes between two requests, and not every node runs a call
 * with overrides by block hash.
 */
export const callContract: (
  chain: ChainAccess,
  call: ContractCall,
  overrides?: StateOverrides,
) => Effect.Effect<`0x${string}`, ChainAccessError> = Effect.fnUntraced(
  function* (chain, call, overrides) {
    const parameters = overrides === undefined ? [call, "latest"] : [call, "latest", overrides];
    const bytes = readBytes(yield* chain("eth_call", parameters));
    if (bytes !== undefined) return bytes;
    const detail = "eth_call: not bytes, or too many";
    return yield* new ChainAccessError({ reason: "Malformed", detail });
  },
);

/**
 * What a contract returns; undefined where the call reverts or the answer is unreadable, which is
 * the contract's own doing. Fails where no node answers.
 */
export const tryContract: (
  chain: ChainAccess,
  call: ContractCall,
  overrides?: StateOverrides,
) => Effect.Effect<`0x${string}` | undefined, ChainAccessError> = Effect.fnUntraced(
  function* (chain, call, overrides) {
    const answer = yield* Effect.result(callContract(chain, call, overrides));
    if (Result.isSuccess(answer)) return answer.success;
    if (answer.failure.reason === "Unavailable") return yield* answer.failure;
    return undefined;
  },
);
