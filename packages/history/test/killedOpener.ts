// Opens a file, in a process that is killed meanwhile: `killedOpener.ts FILE`.
import { embeddedHistory } from "@millrace/history";
import { Effect } from "effect";

const [path = ""] = process.argv.slice(2);
process.stdout.write("opening\n");
await Effect.runPromise(Effect.scoped(embeddedHistory({ path, chainId: 1 })));
