// Lives through a story, in a process that is killed: `killedWriter.ts FILE SEED`.
import { embeddedHistory } from "@millrace/history";
import { RandomSource } from "@millrace/testing/random";
import { Effect } from "effect";
import { HistoryStory } from "./HistoryStory.ts";

const [path = "", seed] = process.argv.slice(2);
const story = new HistoryStory(new RandomSource(Number(seed)), true);
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const history = yield* embeddedHistory({ path, chainId: 1 });
      for (let count = 0; ; count++) {
        yield* history.write(story.next());
        process.stdout.write(`written ${count}\n`);
      }
    }),
  ),
);
