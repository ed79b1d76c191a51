import type { ChainSource } from "@millrace/chain";
import { openMarket } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { Data, Effect, Fiber, type Scope, Stream } from "effect";
import type { NetworkConfig, ServerConfig } from "../config/ServerConfig.ts";
import { isPretty } from "../logging.ts";
import type { NetworkSource } from "../networks/NetworkSource.ts";
import { openSource } from "../networks/openSource.ts";
import { showProgress } from "../networks/showProgress.ts";
import { Arrival } from "./Arrival.ts";
import { reportText } from "./reportText.ts";

/** There is nothing to verify. */
class VerifyError extends Data.TaggedError("VerifyError")<{ readonly message: string }> {}

type Print = (text: string) => Effect.Effect<void>;

/**
 * Follows the chains of all configured networks, or of one, to their heads, builds their markets
 * from scratch there and compares. Prints a report of each; true when all are equal. Networks
 * without a chain are skipped.
 */
export const verify = Effect.fnUntraced(function* (
  config: ServerConfig,
  networkId: string | undefined,
  print: Print,
) {
  const asked = config.networks.filter(({ id }) => networkId === undefined || id === networkId);
  if (asked.length === 0) {
    const ids = config.networks.map(({ id }) => id).join(", ");
    return yield* new VerifyError({ message: `no network ${networkId}; there are ${ids}` });
  }
  const followed = asked.filter(({ source }) => FOLLOWED.has(source.kind));
  if (followed.length === 0) {
    const ids = asked.map(({ id }) => id).join(", ");
    return yield* new VerifyError({ message: `there is no chain behind ${ids} to verify against` });
  }
  // One after the other: the rates of the nodes are the limit.
  const results = yield* Effect.forEach(followed, (network) =>
    Effect.scoped(verifyNetwork(config, network, print)),
  );
  return results.every((isEqual) => isEqual);
});

const RETRIES = 2;
const FOLLOWED: ReadonlySet<string> = new Set(["chain", "devnet"]);

const verifyNetwork = Effect.fnUntraced(
  function* (
    config: ServerConfig,
    network: NetworkConfig,
    print: Print,
  ): Effect.fn.Return<boolean, Obstacle, Scope.Scope> {
    const arrival = new Arrival(network);
    yield* Effect.forkScoped(showProgress([arrival], isPretty(config) && process.stderr.isTTY));
    const source = yield* openSource(network, {
      // A running service may hold the disk.
      openDisk: () => Effect.undefined,
      openHistory: () => Effect.undefined,
      onProgress: (progress) => arrival.progressed(progress),
    }).pipe(Effect.mapError(({ detail }) => new Obstacle({ detail })));
    const { chain } = source;
    if (chain === undefined) return yield* new Obstacle({ detail: "it is on no chain" });
    const market = yield* followToHead(source, chain, arrival);
    const report = yield* Effect.suspend(() => chain.verify(market.snapshot())).pipe(
      // The block may be reverted meanwhile, or too old for the nodes: then a newer one is taken.
      Effect.retry({ times: RETRIES }),
      Effect.mapError(
        ({ endpoint, method, reason, detail }) =>
          new Obstacle({ detail: `${endpoint}, ${method}: ${reason}, ${detail}` }),
      ),
    );
    yield* print(reportText(network, report));
    return report.equal;
  },
  (effect, _config, { id }, print) =>
    Effect.catch(effect, ({ detail }) =>
      Effect.as(print(`${id}  cannot be verified: ${detail}\n`), false),
    ),
);

/** Why a network cannot be compared. */
class Obstacle extends Data.TaggedError("Obstacle")<{ readonly detail: string }> {}

/** The market as a service has it at the head; it goes on following. */
const followToHead = Effect.fnUntraced(function* (
  { market: source }: NetworkSource,
  chain: ChainSource,
  arrival: Arrival,
) {
  const market = openMarket(source.chainId, curves);
  const followed = Stream.runForEach(source.blocks, (block) =>
    Effect.sync(() => market.writer.applyBlock(block)),
  ).pipe(
    Effect.matchCause({
      onFailure: (cause) => `the market failed: ${cause}`,
      onSuccess: () => "the market ended",
    }),
  );
  const following = yield* Effect.forkScoped(followed);
  const obstacle = yield* Effect.raceFirst(arrival.wait(chain), Fiber.join(following));
  if (obstacle !== undefined) return yield* new Obstacle({ detail: obstacle });
  return market;
});
