import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { eventually, TestProcess } from "@millrace/testing";

const SERVICE = new URL("../../../server/src/main.ts", import.meta.url);

/** A service of a devnet that serves its page, as a process of its own. */
export interface ServedPage {
  readonly url: string;
  readonly port: string;
  /** The address of the token that is called so. */
  readonly tokenOf: (symbol: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Starts a service on a free port, or on the one of a service that has ended. */
export async function servePage(port?: string): Promise<ServedPage> {
  // By its number: a port that the system chose is not given again while a browser holds on to it.
  const wanted = port ?? String(await freePort());
  const environment = { PORT: wanted, MILLRACE_LOG_LEVEL: "warn" };
  const service = new TestProcess(SERVICE, { environment });
  const [, url] = await service.line(/listens on (http:\/\/\S+)/);
  const isOk = async (path: string) => (await fetch(url + path)).status === 200;
  await eventually(() => isOk("/health/ready"));
  // Built by now as a rule: it is begun at the start.
  await eventually(async () => (await (await fetch(url!)).text()).includes("/app/assets/"));
  const tokenOf = async (symbol: string) => {
    const answer = await fetch(`${url}/tokens/search/${symbol}?limit=1`);
    const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ address: string }> };
    return data[0]!.address;
  };
  return {
    url: url!,
    port: wanted,
    tokenOf,
    stop: async () => void (await service.end("SIGTERM")),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
