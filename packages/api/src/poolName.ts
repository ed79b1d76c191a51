import { Schema } from "effect";
import { AddressJson, isAddress, malformedAddress } from "./address.ts";
import { type IssueTemplate, issueAnnotation } from "./issue.ts";

/** Some contracts hold many pools, which have an id of 32 bytes beside the contract's address. */

/** A pool in a request: its address or its id, in any case. */
export const PoolName = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}([a-fA-F0-9]{24})?$/u, {
    // The service's contract gives pools the issue of a malformed address.
    [issueAnnotation]: malformedAddress,
  }),
).annotate({
  identifier: "PoolName",
  description:
    "A pool's address, or its `poolId` where it has one: `0x` and 40 or 64 hex digits; any case is " +
    "taken.",
  examples: ["0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc"],
});

const malformedPoolId: IssueTemplate = {
  origin: "string",
  code: "invalid_format",
  format: "regex",
  pattern: "/^0x[a-fA-F0-9]{64}$/",
  message: "Invalid pool id",
};

/** The fields that name a pool in answers. */
export const poolNames = {
  poolAddress: Schema.String.annotateKey({
    description: "The contract that holds the pool, checksummed (EIP-55).",
  }),
  poolId: Schema.optionalKey(Schema.String).annotateKey({
    description: "32 bytes, lower case, where the contract holds many pools; absent otherwise.",
  }),
};

/** The fields that name a pool in a returned step. */
export const steppedPoolNames = {
  poolAddress: AddressJson,
  poolId: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^0x[a-fA-F0-9]{64}$/u, { [issueAnnotation]: malformedPoolId }),
    ),
  ).annotateKey({ description: "Names the pool where the answer had it." }),
};

/** Whether `PoolName` accepts a value. */
export const isPoolName = (value: unknown): value is string =>
  typeof value === "string" && (isAddress(value) || isPoolId(value));

/** Whether `steppedPoolNames` accept a step. */
export function hasPoolNames(step: Readonly<Record<string, unknown>>): boolean {
  const { poolAddress } = step;
  if (typeof poolAddress !== "string" || !isAddress(poolAddress)) return false;
  return !Object.hasOwn(step, "poolId") || isPoolId(step["poolId"]);
}

const isPoolId = (value: unknown): boolean =>
  typeof value === "string" && value.length === 66 && POOL_ID.test(value);

const POOL_ID = /^0x[a-fA-F0-9]{64}$/;
