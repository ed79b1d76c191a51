import type { Address } from "@millrace/core";
import { Clock, Effect, Queue, Stream } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import type { SnapshotStore } from "../snapshot/SnapshotStore.ts";
import { type Following, noteDefect } from "./Following.ts";
import { fetchBlocks } from "./fetchBlocks.ts";
import { type Branch, findBranch } from "./findBranch.ts";
import { decodeHeader, type Header, headerByHash, newestHeader } from "./Header.ts";
import { openMirror } from "./openMirror.ts";
import { readBlocks } from "./readBlocks.ts";

/** Number of blocks that are fetched before the first of them is taken. */
const CHUNK = 16;
/** While the fork choice is open, a node is soon asked again: it may lag or stray. */
const UNDECIDED_MS = 50;
/** After a failure the endpoints themselves know when to be asked again. */
const RETRY_MS = 200;
/** One failure is not worth logging: a block may be gone when its logs are asked for. */
const FAILURES_LOGGED = 3;
const POLL_MS_MIN = 100;
const POLL_MS_MAX = 2_000;
/** After this many block times without a new head, all endpoints are asked for theirs. */
const STALE_BLOCKS = 3;

/**
 * Opens the mirror and keeps it at the head of the chain, for ever. Heads are polled; announcements
 * only speed that up. Whatever fails is tried again.
 */
export const follow = Effect.fnUntraced(function* (following: Following, snapshots: SnapshotStore) {
  const { reading, mirror, condition, blockTimeMs } = following;
  const pollMs = Math.min(Math.max(blockTimeMs / 2, POLL_MS_MIN), POLL_MS_MAX);
  const announced = yield* Queue.sliding<Header>(1);
  yield* reading.endpoints.heads.pipe(
    Stream.runForEach((head) => {
      const header = decodeHeader(head);
      return header === undefined ? Effect.void : Queue.offer(announced, header);
    }),
    Effect.forkScoped,
  );
  const forkChoice = new ForkChoice();
  let isOpen = false;
  let movedMs = yield* Clock.currentTimeMillis;
  let hint: Header | undefined;
  for (;;) {
    const before = mirror.head?.hash;
    const turn = Effect.gen(function* () {
      if (!isOpen) {
        yield* openMirror(following, snapshots);
        isOpen = true;
        following.advanced();
      }
      const header = hint;
      const outcome = yield* reading.endpoints.withEndpoint((endpoint) =>
        header === undefined
          ? Effect.flatMap(newestHeader(endpoint), (newest) =>
              takeOn(endpoint, following, newest, forkChoice),
            )
          : Effect.flatMap(headerByHash(endpoint, header.hash), (announcedHeader) =>
              takeOn(endpoint, following, announcedHeader, forkChoice),
            ),
      );
      if (outcome === "apart") {
        isOpen = false;
        condition.resynchronisations++;
        condition.obstacle = "resynchronising";
        yield* Effect.logWarning("the chain was reorganised beyond the journal: reading it anew");
      }
    });
    yield* turn.pipe(
      Effect.andThen(logOutcome(following, undefined)),
      Effect.catch((error) => logOutcome(following, error)),
      Effect.catchDefect((defect) => {
        // The mirror may be half updated: it is read anew.
        isOpen = false;
        condition.failures++;
        condition.obstacle = "resynchronising";
        return noteDefect(condition, "following the chain")(defect);
      }),
    );
    const nowMs = yield* Clock.currentTimeMillis;
    if (mirror.head?.hash !== before) movedMs = nowMs;
    if (nowMs - movedMs > STALE_BLOCKS * blockTimeMs) {
      movedMs = nowMs;
      hint = yield* bestHead(following);
      if (hint !== undefined) continue;
    }
    const waitMs =
      condition.failures > 0 ? RETRY_MS : forkChoice.isOpen ? UNDECIDED_MS : isOpen ? pollMs : 1;
    hint = yield* Effect.raceFirst(
      Queue.take(announced),
      Effect.as(Effect.sleep(waitMs), undefined),
    );
  }
});

/** Makes the block the head, if the fork choice accepts it, with all blocks that lead to it. */
const takeOn = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  following: Following,
  target: Header,
  forkChoice: ForkChoice,
): Effect.fn.Return<"done" | "apart", RpcError> {
  const { mirror, condition, fetching, catchUpBlocks } = following;
  const head = mirror.head!;
  const branch = yield* findBranch(endpoint, mirror.journal, target, catchUpBlocks);
  if (branch.kind === "known") {
    if (target.hash === head.hash) {
      forkChoice.settle();
      condition.obstacle = undefined;
    }
    // Far behind the known head: another endpoint is asked.
    if (head.number - target.number >= STALE_BLOCKS) {
      return yield* farBehind(endpoint, target, head);
    }
    return "done";
  }
  const accepted = forkChoice.accepts(target, head, branch);
  if (branch.kind === "apart") {
    if (accepted) return "apart";
    if (target.number < head.number) return yield* farBehind(endpoint, target, head);
    condition.obstacle ??= "the endpoints tell of another chain";
    return "done";
  }
  if (!accepted) return "done";
  const behind = target.number - head.number;
  if (behind > 2) condition.obstacle ??= `catching up with ${behind} blocks`;
  const { headers } = branch;
  const isReorganisation = branch.ancestor !== head.hash;
  // A reorganisation is taken as a whole, so that the head does not go back for long.
  const first = isReorganisation ? Math.max(CHUNK, head.number - headers[0]!.number + 2) : CHUNK;
  for (let start = 0, count = first; start < headers.length; start += count, count = CHUNK) {
    const chunk = headers.slice(start, start + count);
    const orphaned = start === 0 ? tokensAfter(following, branch.ancestor) : new Set<Address>();
    const logged = yield* fetchBlocks(
      endpoint,
      fetching,
      chunk,
      target,
      (token) => mirror.tokens.has(token) && !orphaned.has(token),
    );
    const contents = yield* readBlocks(following, logged, target);
    if (start === 0 && isReorganisation) {
      mirror.rewind(branch.ancestor);
      condition.reorganisations++;
    }
    for (const content of contents) following.emit(mirror.commit(content));
    following.advanced();
  }
  forkChoice.settle();
  condition.obstacle = undefined;
  return "done";
});

/** Tokens that were learned only from blocks after this one. */
function tokensAfter({ mirror }: Following, hash: Header["hash"]): Set<Address> {
  const { blocks } = mirror.journal;
  const index = mirror.journal.indexOf(hash) ?? -1;
  return new Set(blocks.slice(index + 1).flatMap(({ learnedTokens }) => learnedTokens));
}

/**
 * Decides which chain to follow when nodes disagree. A longer one is followed at once. Another may
 * come from a node that lags or strays, or from a balancer that asks another node each time: it
 * must be heard several times in a row before the head moves sideways or back.
 */
class ForkChoice {
  #heard = 0;

  get isOpen(): boolean {
    return this.#heard > 0;
  }

  accepts(target: Header, head: Header, { kind }: Branch): boolean {
    this.#heard++;
    const accepted = this.#heard >= timesToHear(target, head, kind);
    if (accepted) this.#heard = 0;
    return accepted;
  }

  settle(): void {
    this.#heard = 0;
  }
}

function timesToHear(target: Header, head: Header, kind: Branch["kind"]): number {
  if (kind === "apart")
    return target.number > head.number ? 2 : target.number === head.number ? 4 : 20;
  if (target.number > head.number) return 1;
  return target.number === head.number ? 2 : 4;
}

/** The highest head of all endpoints that answer, when it is above ours. */
const bestHead = Effect.fnUntraced(function* ({ reading, mirror }: Following) {
  const heads = yield* Effect.forEach(
    reading.endpoints.all,
    (endpoint) => Effect.orElseSucceed(newestHeader(endpoint), () => undefined),
    { concurrency: "unbounded" },
  );
  let best: Header | undefined;
  for (const head of heads) {
    if (head !== undefined && head.number > (best ?? mirror.head ?? head).number) best = head;
  }
  return best;
});

function farBehind(endpoint: Endpoint, target: Header, head: Header): RpcError {
  const detail = `its newest block is ${target.number}, where ${head.number} was reached before`;
  return badData(endpoint, "eth_getBlockByNumber", detail);
}

/** Logs once what stands in the way, and logs when that is over. */
const logOutcome = Effect.fnUntraced(function* (
  { condition }: Following,
  error: RpcError | undefined,
) {
  const failures = condition.failures;
  condition.failures = error === undefined ? 0 : failures + 1;
  if (error === undefined) {
    if (failures >= FAILURES_LOGGED) yield* Effect.logInfo("the chain is followed again");
    return;
  }
  if (condition.failures !== FAILURES_LOGGED) return;
  const { endpoint, method, reason, detail } = error;
  yield* Effect.logWarning("the chain cannot be followed").pipe(
    Effect.annotateLogs({ endpoint, method, reason, detail }),
  );
});
