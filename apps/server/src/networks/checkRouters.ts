import type { Address } from "@millrace/core";
import { type ChainAccess, isExecutorCode } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import type { NetworkRouters, RouterName } from "./NetworkRouters.ts";

const RETRY_MS = 2_000;
/** A contract may be deployed later; one that was found right stays right. */
const LOOKED_AGAIN_MS = 60_000;

/**
 * Leaves out all routers until the chain has shown that they are there: the executor with exactly
 * our code, the Universal Router and its Permit2 with any. Asks until it knows, and again where
 * something is missing. Never fails; ends when all are right.
 */
export const checkRouters = (routers: NetworkRouters, chain: ChainAccess): Effect.Effect<void> => {
  for (const name of routers.names) routers.judge(name, "its code has not been checked yet");
  return Effect.forEach(routers.names, (name) => checkRouter(routers, name, chain), {
    concurrency: "unbounded",
    discard: true,
  });
};

const checkRouter = Effect.fnUntraced(function* (
  routers: NetworkRouters,
  name: RouterName,
  chain: ChainAccess,
) {
  for (;;) {
    const fault = yield* Effect.result(faultOf(routers, name, chain));
    if (fault._tag === "Failure") {
      yield* Effect.sleep(RETRY_MS);
      continue;
    }
    const before = routers.obstacle(name);
    routers.judge(name, fault.success);
    if (fault.success === undefined) return;
    if (fault.success !== before) {
      yield* Effect.annotateLogs(Effect.logError("a router is left out"), {
        router: name,
        reason: fault.success,
      });
    }
    yield* Effect.sleep(LOOKED_AGAIN_MS);
  }
});

/** Why a router cannot be used; undefined when it can. */
const faultOf = Effect.fnUntraced(function* (
  { configured }: NetworkRouters,
  name: RouterName,
  chain: ChainAccess,
) {
  const { executor, universalRouter, wrappedNative } = configured;
  if (name === "executor") {
    const code = yield* codeAt(chain, executor!);
    if (code === NO_CODE) return `there is no contract at ${executor}`;
    return isExecutorCode(code, wrappedNative)
      ? undefined
      : `the contract at ${executor} is another one, or for another wrapped native token`;
  }
  for (const address of [universalRouter!.address, universalRouter!.permit2]) {
    if ((yield* codeAt(chain, address)) === NO_CODE) return `there is no contract at ${address}`;
  }
  return undefined;
});

const NO_CODE: Hex = "0x";

/** Fails where no node answers. */
const codeAt = Effect.fnUntraced(function* (chain: ChainAccess, address: Address) {
  const code = yield* chain("eth_getCode", [address, "latest"]);
  return typeof code === "string" && /^0x([0-9a-f]{2})*$/i.test(code)
    ? (code as Hex)
    : yield* Effect.fail("no code");
});
