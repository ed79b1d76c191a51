import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, freePort, TestProcess } from "@millrace/testing";

const SERVICE = new URL("../../../server/src/main.ts", import.meta.url);

/** A service of a devnet that serves its page, as a process of its own. */
export interface ServedPage {
  readonly url: string;
  readonly port: string;
  /** The address of the token that is called so. */
  readonly tokenOf: (symbol: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface ServedOptions {
  /** Of a service that has ended; a free one where none is named. */
  readonly port?: string;
  /** From one block with trades to the next. */
  readonly blockEveryMs?: number;
  /** Of trades before the start. */
  readonly historyHours?: number;
}

export async function servePage({
  port,
  blockEveryMs = 1_000,
  historyHours = 1,
}: ServedOptions = {}): Promise<ServedPage> {
  // By its number: a port that the system chose is not given again while a browser holds on to it.
  const wanted = port ?? String(await freePort());
  const folder = await mkdtemp(join(tmpdir(), "millrace-page-"));
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify(settings(blockEveryMs, historyHours)));
  const environment = { PORT: wanted, MILLRACE_LOG_LEVEL: "warn", MILLRACE_CONFIG: file };
  const service = new TestProcess(SERVICE, { environment });
  const [, url] = await service.line(/listens on (http:\/\/\S+)/);
  const isOk = async (path: string) => (await fetch(url + path)).status === 200;
  await eventually(() => isOk("/health/ready"));
  // Built by now as a rule: it is begun at the start.
  await eventually(async () => (await (await fetch(url!)).text()).includes("/app/assets/"));
  // On a busy machine its chain may stand still for a while, and nothing is told of it then.
  const tokenOf = (symbol: string) =>
    eventually(async () => {
      const answer = await fetch(`${url}/tokens/search/${symbol}?limit=1`);
      const { data } = (await answer.json()) as {
        readonly data?: ReadonlyArray<{ readonly address: string }>;
      };
      return data?.[0]?.address;
    });
  return {
    url: url!,
    port: wanted,
    tokenOf,
    stop: async () => {
      await service.end("SIGTERM");
      await rm(folder, { recursive: true });
    },
  };
}

/** Where the node of its devnet is asked. */
export async function rpcUrlOf(url: string): Promise<string> {
  const { result } = (await (await fetch(`${url}/networks`)).json()) as {
    readonly result: ReadonlyArray<{ readonly id: string; readonly rpcUrl?: string }>;
  };
  return result.find(({ id }) => id === "ETH")!.rpcUrl!;
}

const settings = (trafficEveryMs: number, historyHours: number) => ({
  // A test shares the machine with others: what is late is no overload.
  limits: { shedding: false },
  // Pages of many users, from one address.
  streams: { connectionsPerAddress: 100 },
  networks: [
    {
      ...{ id: "ETH", name: "Ethereum devnet", chainId: 0x6d696c01 },
      // Where hardly anything happens the newest block is old.
      headAgeLimitMs: Math.max(60_000, 10 * trafficEveryMs),
      historyHours,
      ...{ nativeSymbol: "ETH", nativeName: "Ether" },
      source: { kind: "devnet", market: "ETH", trafficEveryMs },
    },
  ],
});
