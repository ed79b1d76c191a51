import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAIN = new URL("../../../server/src/main.ts", import.meta.url).pathname;
/** As the documents name it. */
const DOCUMENTED = "127.0.0.1:8080";

/**
 * The service as the documents suppose it, on the devnet ETH alone: BASE would take as long again.
 */
export class DocumentService {
  readonly rpcUrl: string;
  readonly #host: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, host: string, rpcUrl: string) {
    this.#child = child;
    this.#folder = folder;
    this.#host = host;
    this.rpcUrl = rpcUrl;
  }

  /** Resolves when the network is ready. */
  static async start(): Promise<DocumentService> {
    const folder = mkdtempSync(join(tmpdir(), "millrace-documents-"));
    const config = join(folder, "config.json");
    const source = { kind: "devnet", market: "ETH", trafficEveryMs: 1_000 };
    const network = { id: "ETH", name: "Devnet", chainId: 0x6d696c01, source };
    const settings = { headAgeLimitMs: null, nativeSymbol: "ETH", nativeName: "Ether" };
    writeFileSync(config, JSON.stringify({ networks: [{ ...network, ...settings }] }));
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN], {
      env: {
        ...{ PATH: process.env["PATH"], PORT: "0", MILLRACE_CONFIG: config },
        ...{ MILLRACE_GRACE_PERIOD_MS: "500", MILLRACE_SEARCH_WORKERS: "0" },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const read = (data: Buffer) => {
      output += data;
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    const find = async (form: RegExp): Promise<string> => {
      for (;;) {
        const found = form.exec(output);
        if (found !== null) return found[1]!;
        if (child.exitCode !== null) throw new Error(`the service has ended: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const host = await find(/listens on http:\/\/(\S+)/);
    const rpcUrl = await find(/"rpcUrl":"([^"]+)"/);
    await find(/"(network ready)"/);
    return new DocumentService(child, folder, host, rpcUrl);
  }

  /** A block that speaks to this service in place of the documented one. */
  aimed(text: string): string {
    return text.replaceAll(DOCUMENTED, this.#host);
  }

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}
