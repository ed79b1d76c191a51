import type { Address } from "@millrace/core";
import { type ChainAccess, isExecutorCode } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { Effect, Fiber, FiberSet, type Scope } from "effect";
import type { NetworkRouters, RouterName } from "./NetworkRouters.ts";

const NOT_CHECKED = "its code has not been checked yet";
const RETRY_MS = 2_000;
/** A contract may be deployed later. */
const LOOKED_AGAIN_MS = 60_000;

/**
 * Leaves out all routers until the chain has shown that they are there: the executor with exactly
 * our code, the Universal Router and its Permit2 with any. Waits for the node's first answers, but
 * not for long: the first quote should keep to routes that a router can execute. Asks until it
 * knows, and again while something is missing, until the scope closes. Gives a check of all routers
 * for those who doubt one, since a reorganisation may drop a contract: it asks once for each of the
 * blocks whose hash `blockHash` gives, however many wait for it. Nothing here fails.
 */
export const checkRouters = Effect.fnUntraced(function* (
  routers: NetworkRouters,
  chain: ChainAccess,
  blockHash: () => string,
): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
  for (const name of routers.names) routers.judge(name, NOT_CHECKED);
  const checkAll = Effect.forEach(routers.names, (name) => checkRouter(routers, name, chain), {
    concurrency: "unbounded",
    discard: true,
  });
  yield* Effect.timeoutOption(checkAll, RETRY_MS);
  for (const name of routers.names) {
    yield* Effect.forkScoped(watchRouter(routers, name, chain));
  }
  // A client that leaves does not end the check for the others.
  const fork = yield* FiberSet.makeRuntime<never>();
  let last: { readonly block: string; readonly check: Fiber.Fiber<unknown, unknown> } | undefined;
  return Effect.suspend(() => {
    const block = blockHash();
    if (last?.block !== block) last = { block, check: fork(checkAll) };
    return Effect.asVoid(Fiber.await(last.check));
  });
});

const watchRouter = Effect.fnUntraced(function* (
  routers: NetworkRouters,
  name: RouterName,
  chain: ChainAccess,
) {
  let isKnown = routers.obstacle(name) !== NOT_CHECKED;
  for (;;) {
    yield* Effect.sleep(isKnown ? LOOKED_AGAIN_MS : RETRY_MS);
    isKnown = routers.obstacle(name) === undefined || (yield* checkRouter(routers, name, chain));
  }
});

/** Judges a router by its code; false where no node answers. */
const checkRouter = Effect.fnUntraced(function* (
  routers: NetworkRouters,
  name: RouterName,
  chain: ChainAccess,
) {
  const fault = yield* Effect.result(faultOf(routers, name, chain));
  if (fault._tag === "Failure") return false;
  const before = routers.obstacle(name);
  routers.judge(name, fault.success);
  if (fault.success !== undefined && fault.success !== before) {
    yield* Effect.annotateLogs(Effect.logError("a router is left out"), {
      router: name,
      reason: fault.success,
    });
  }
  return true;
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
