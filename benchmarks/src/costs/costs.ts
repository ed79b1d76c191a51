import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { attempt, type BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { startService } from "../http/service.ts";
import { readTrades, type Trade, UNIVERSE_FILE } from "../market.ts";
import { SeededRandom } from "../SeededRandom.ts";
import { Asker, type Question, type Reply } from "./Asker.ts";
import { type Kind, kindsOf, type Material } from "./kinds.ts";
import { Meter, type Taken, typicalOf } from "./Meter.ts";
import { Subscriber, topicsOf } from "./Subscriber.ts";

const FULL = { poolCount: 64_000, trades: 100, rounds: 9, batchCpuUs: 100_000, countMax: 2_000 };
const SMOKE: typeof FULL = { ...FULL, poolCount: 2_000, trades: 20, rounds: 1, batchCpuUs: 2_000 };

/** Requests of a kind that are asked beforehand, to find the size of a batch. */
const SAMPLE = 4;
const AT_ONCE = 4;

/**
 * CPU time of the service per unit of a client's budget, for every kind of request, relative to a
 * plain quote. 1 is fair; at 3, a budget buys three times the work.
 */
export const costs = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const folder = yield* temporaryFolder;
      const configuration = join(folder, "millrace.json");
      yield* attempt(() => writeFile(configuration, configurationText(sizes.poolCount)));
      const url = yield* startService({ MILLRACE_CONFIG: configuration });
      return yield* attempt(() => measureAll(url, sizes));
    }),
  );

/** The recorded market, a large one for lists, and a budget that no benchmark uses up. */
function configurationText(poolCount: number): string {
  const large = { kind: "generated", seed: 7, poolCount };
  const named = { nativeSymbol: "ETH", nativeName: "Ether" };
  return JSON.stringify({
    networks: [
      { id: "ETH", chainId: 1, source: { kind: "marketFile", path: UNIVERSE_FILE } },
      { id: "BIG", name: "Generated", chainId: 8453, ...named, source: large },
    ],
    limits: { address: { perSecond: 1, burst: 1_000_000_000 } },
    streams: { operationsPerSecond: 100_000 },
    searchWorkers: 1,
  });
}

const UNIT = "of a plain quote";

type Measured = readonly [name: string, ask: (index: number) => Promise<unknown>];

async function measureAll(url: string, sizes: typeof FULL): Promise<ReadonlyArray<Figure>> {
  const asker = new Asker(url);
  const subscriber = await Subscriber.open(url);
  try {
    const material = await gather(asker, sizes.trades);
    const asked = kindsOf(material).map(
      ({ name, question }: Kind): Measured => [name, (index) => sound(asker, question(index))],
    );
    const streamed = topicsOf(material).map(
      ([name, topic]): Measured => [`subscribe.${name}`, (index) => subscriber.once(topic(index))],
    );
    const taken = await measureInTurn(new Meter(asker), [...asked, ...streamed], sizes);
    const plain = taken.get("quote.plain")!;
    const ratioOf = ({ cpuUs, units }: Taken) => cpuUs / units / (plain.cpuUs / plain.units);
    const ratios = [...taken.values()].map(ratioOf);
    return [
      { name: "costs.dearest", value: Math.min(...ratios), unit: UNIT },
      { name: "costs.cheapest", value: Math.max(...ratios), unit: UNIT },
      ...[...taken].flatMap(([name, one]) => [
        { name: `costs.${name}.cpu`, value: one.cpuUs, unit: "us" },
        { name: `costs.${name}.charged`, value: one.units, unit: "units" },
        { name: `costs.${name}.ratio`, value: ratioOf(one), unit: UNIT },
      ]),
    ];
  } finally {
    asker.close();
    subscriber.close();
  }
}

/**
 * Measures each kind once a round, so that a disturbance of the machine hits them all, and once
 * before, so that nothing is compiled meanwhile. Each round has an order of its own: a kind may pay
 * for collecting what the one before it left.
 */
async function measureInTurn(
  meter: Meter,
  kinds: ReadonlyArray<Measured>,
  { rounds, batchCpuUs, countMax }: typeof FULL,
): Promise<ReadonlyMap<string, Taken>> {
  const found = new Map(kinds.map(([name]) => [name, [] as Taken[]]));
  const random = new SeededRandom(1);
  let asked = 0;
  for (let round = -1; round < rounds; round++) {
    for (const [name, ask] of shuffled(kinds, random)) {
      const batch = (count: number) => async () => {
        const ends = asked + count;
        const line = async (): Promise<void> => {
          while (asked < ends) await ask(asked++);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, line));
      };
      const first = await meter.measure(SAMPLE, batch(SAMPLE));
      const count = Math.min(countMax, SAMPLE + Math.ceil(batchCpuUs / Math.max(first.cpuUs, 1)));
      const taken = await meter.measure(count, batch(count));
      if (round >= 0) found.get(name)!.push(taken);
    }
  }
  return new Map([...found].map(([name, taken]) => [name, typicalOf(taken)]));
}

function shuffled<A>(items: ReadonlyArray<A>, random: SeededRandom): A[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0]!);
}

/** The answer. Throws where the service fails, or refuses because of load. */
async function sound(asker: Asker, question: Question): Promise<Reply> {
  const reply = await asker.ask(question);
  if (reply.status < 500 && reply.status !== 429) return reply;
  throw new Error(`${question.path}: ${reply.status}: ${reply.text}`);
}

async function gather(asker: Asker, tradeCount: number): Promise<Material> {
  const trades: Trade[] = [];
  const quotes: string[] = [];
  for (const trade of readTrades(10 * tradeCount)) {
    if (trades.length === tradeCount) break;
    const asked = { tokenA: trade.tokenIn, tokenB: trade.tokenOut };
    const body = JSON.stringify({ ...asked, amountIn: String(trade.amountIn) });
    const { status, text } = await asker.ask({ path: "/ETH/quote", body });
    if (status !== 200) continue;
    trades.push(trade);
    quotes.push(text);
  }
  const listOf = async (path: string) =>
    (JSON.parse(await asker.textOf(path)) as { readonly data: ReadonlyArray<Listed> }).data;
  const tokens = (await listOf("/tokens?limit=500")).map(({ address }) => address);
  const pools = (await listOf("/pools?limit=500")).map(({ poolAddress }) => poolAddress);
  return { trades, quotes, tokens, pools };
}

interface Listed {
  readonly address: string;
  readonly poolAddress: string;
}
