import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Socket } from "node:net";
import { platform } from "node:process";
import type { Readable, Writable } from "node:stream";
import { Effect, type Scope } from "effect";
import { DevnetError } from "../DevnetError.ts";
import { anvilBinary } from "./anvilBinary.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts anvil, its clock so late, on the port, or where that is 0 on a free one, which the
 * operating system chooses, and gives that port once it listens: to this machine alone, or where
 * others are to reach it under a name to all of them. The child ends with the scope, and
 * with this process, however that ends; it never keeps this process alive.
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
 * Blocks whose states anvil keeps, each a copy of about a megabyte; more than the reorganisations
 * that a follower has to undo.
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
  // For users: the deployer and the traders are funded as they are needed.
  ...["--accounts", String(NODE_ACCOUNTS), "--order", "fifo"],
  // All of the set-up fits in a few blocks; lowered when it is done.
  ...["--gas-limit", "2000000000"],
  ...["--timestamp", String(Math.floor(Date.now() / 1_000) - secondsBehind)],
  ...["--prune-history", String(STATES_KEPT), "--no-request-size-limit"],
];

/**
 * Anvil runs in a process group of its own beside a shell's `cat`, which reads a pipe that this
 * process holds and never writes to: the kernel closes it whatever this process dies of, a SIGKILL
 * included. Then anvil is killed, and the shell that waits for it ends with what is left.
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
  // The pipe breaks when anvil ends first; that is told by the exit.
  child.stdin.on("error", () => undefined);
  return child;
}

/** The port of the banner; fails when the child ends before it. */
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

/** Lets go of the pipe, and waits until the child is gone. */
const endChild = (child: Child): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
      return resume(Effect.void);
    child.on("exit", () => resume(Effect.void));
    // Counted again while its end is awaited.
    child.ref();
    child.stdin.destroy();
  });

const notStarted = (detail: string): DevnetError =>
  new DevnetError({ reason: "NotStarted", detail: `anvil on ${platform}: ${detail}` });
