import { Effect } from "effect";
import { startAnvil } from "../src/node/startAnvil.ts";

// Starts a node, tells its port, and holds it until this process is killed.
const hold = Effect.gen(function* () {
  const port = yield* startAnvil(Number(process.argv[2]));
  process.stdout.write(`${port}\n`);
  return yield* Effect.never;
});
setInterval(() => undefined, 1_000_000);
await Effect.runPromise(Effect.scoped(hold));
