import { generateMarketBlock } from "@millrace/replay";
import { Effect } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { readTrades, recordedBlocks } from "../market.ts";
import { holdClients, pushToClients } from "./clientLoad.ts";
import { drawnTrades } from "./drawnTrades.ts";
import { MovingMarket } from "./MovingMarket.ts";
import { timePrices } from "./prices.ts";
import { timeQuotes } from "./quotes.ts";

const SEED = 20_261_120;

/** The generated market has the size that is loaded of Ethereum. */
const FULL = {
  poolCount: 5_000,
  touched: 160,
  blocks: 70,
  warmUps: 8,
  replayMs: 400,
  trades: 2_500,
  subscribers: 1_000,
  connections: 5_000,
  pauseMs: 50,
  holdWarmUpMs: 10_000,
  minutes: 5,
  minuteMs: 60_000,
  rounds: 5,
  pushWarmUpMs: 4_000,
  roundMs: 8_000,
};
const SMOKE: typeof FULL = {
  poolCount: 500,
  touched: 40,
  blocks: 24,
  warmUps: 1,
  replayMs: 100,
  trades: 200,
  subscribers: 50,
  connections: 50,
  pauseMs: 90,
  holdWarmUpMs: 200,
  minutes: 1,
  minuteMs: 1_000,
  rounds: 1,
  pushWarmUpMs: 200,
  roundMs: 500,
};

/**
 * The service's streams: how long after a block its subscribers have prices and quotes, what many
 * connections cost, and how many messages it delivers, against a server that only sends.
 */
export const streams = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const { blocks, touched, subscribers } = sizes;
      const folder = yield* temporaryFolder;
      const [recorded] = yield* recordedBlocks;
      const universe = new MovingMarket(recorded!, blocks, touched);
      const generated = generateMarketBlock({ seed: SEED, poolCount: sizes.poolCount });
      const market = new MovingMarket(generated, blocks, touched);
      const drawn = market.quotable(drawnTrades(market), subscribers);
      // A smoke run leaves this out: it is the same code as for the other market.
      const timeOthers = Effect.gen(function* () {
        const sought = universe.quotable(readTrades(sizes.trades), subscribers);
        return [
          ...(yield* timePrices("generated", market, sizes, folder)),
          ...(yield* timeQuotes("universe-a", universe, sought, sizes, folder)),
        ];
      });
      return [
        { name: "streams.touched", value: touched, unit: "pools/block" },
        ...(yield* timePrices("universe-a", universe, sizes, folder)),
        ...(yield* timeQuotes("generated", market, drawn, sizes, folder)),
        ...(smoke ? [] : yield* timeOthers),
        ...(yield* pushToClients(sizes, folder)),
        ...(yield* holdClients(sizes, folder)),
      ];
    }),
  );
