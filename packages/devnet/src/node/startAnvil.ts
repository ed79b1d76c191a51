import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Socket } from "node:net";
import { platform } from "node:process";
import type { Readable, Writable } from "node:stream";
import { Effect, type Scope } from "effect";
import { DevnetError } from "../DevnetError.ts";
import { anvilBinary } from "./anvilBinary.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts anvil with its clock so late, and returns its port once it listens. Port 0 lets the
 * operating system choose a free one. Anvil listens on the loopback interface only, or on all
 * addresses where `reachedAs` is given. The child ends with the scope, and with this process,
 * however that ends; it never keeps this process alive.
 */
export const startAnvil: (
  chainId: number,
  secondsBehind?: number,
  port?: number,
  reachedAs?: string,
) => Effect.Effect<number, DevnetError, Scope.Scope> = Effect.fnUntraced(function* (
  chainId,
  secondsBehind = 0,
  port = 0,
  reachedAs,
) {
  const binary = yield* Effect.try({
    try: anvilBinary,
    catch: (cause) => new DevnetError({ reason: "NotInstalled", detail: String(cause) }),
  });
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawnWatched(binary, anvilArguments(chainId, secondsBehind, port, reachedAs)),
    ),
    endChild,
  );
  return yield* listeningPort(child, port).pipe(
    Effect.timeoutOrElse({
      duration: "20 seconds",
      orElse: () => Effect.fail(notStarted("said nothing for 20 seconds")),
    }),
  );
});

/**
 * Blocks whose states anvil keeps, about a megabyte each; deeper than the reorganisations that a
 * follower has to undo.
 */
const STATES_KEPT = 100;

/** Accounts that the node signs for by itself, with the keys that every anvil has. */
const NODE_ACCOUNTS = 6;

const anvilArguments = (
  chainId: number,
  secondsBehind: number,
  port: number,
  reachedAs: string | undefined,
): ReadonlyArray<string> => [
  ...["--host", reachedAs === undefined ? "127.0.0.1" : "0.0.0.0", "--port", String(port)],
  ...["--chain-id", String(chainId)],
  // For users. The deployer and the traders are funded when needed.
  ...["--accounts", String(NODE_ACCOUNTS), "--order", "fifo"],
  // Lets the set-up fit in a few blocks; lowered when it is done.
  ...["--gas-limit", "2000000000"],
  ...["--timestamp", String(Math.floor(Date.now() / 1_000) - secondsBehind)],
  ...["--prune-history", String(STATES_KEPT), "--no-request-size-limit"],
];

/**
 * Anvil runs in its own process group beside a shell's `cat`. That reads a pipe which this process
 * holds open and never writes to; the kernel closes the pipe however this process dies, even by
 * SIGKILL. Anvil is then killed, and the waiting shell ends with the rest of the group.
 */
const WATCHED = `exec 3<&0
"$@" 3<&- </dev/null & node=$!
{ cat <&3 >/dev/null; kill -9 $node; } &
wait $node
kill -9 0`;

function spawnWatched(binary: string, parameters: ReadonlyArray<string>): Child {
  const child = spawn("sh", ["-c", WATCHED, "anvil", binary, ...parameters], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    if (stream instanceof Socket) stream.unref();
  // The pipe breaks when anvil ends first; the exit event reports that.
  child.stdin.on("error", () => undefined);
  return child;
}

/** The port in anvil's banner; fails when the child ends before printing it. */
const listeningPort = (child: Child, wanted: number): Effect.Effect<number, DevnetError> =>
  Effect.callback((resume) => {
    let said = "";
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const port = /Listening on [^\s:]+:(\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      child.stdout.off("data", listen).resume();
      child.stderr.resume();
      resume(Effect.succeed(Number(port)));
    };
    child.stdout.on("data", listen);
    let complaint = "";
    child.stderr.on("data", (chunk) => {
      complaint = `${complaint}${chunk}`.slice(-1_000);
    });
    child.on("error", (cause) => resume(Effect.fail(notStarted(String(cause)))));
    child.on("close", () => {
      const isTaken = /address already in use/i.test(complaint);
      const why = isTaken ? `port ${wanted} is taken` : `it ended: ${complaint.trim()}`;
      resume(Effect.fail(notStarted(why)));
    });
  });

/** Closes the pipe, and waits until the child has ended. */
const endChild = (child: Child): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      return resume(Effect.void);
    child.on("exit", () => resume(Effect.void));
    // Keeps the process alive while it waits.
    child.ref();
    child.stdin.destroy();
  });

const notStarted = (detail: string): DevnetError =>
  new DevnetError({ reason: "NotStarted", detail: `anvil on ${platform}: ${detail}` });
