import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceProcess } from "@millrace/testing";

/** As the documents name it. */
const DOCUMENTED = "127.0.0.1:8080";

/**
 * The service as the documents suppose it, on the devnet ETH alone: BASE would take as long again.
 */
export class DocumentService {
  readonly rpcUrl: string;
  readonly #host: string;
  readonly #service: ServiceProcess;
  readonly #folder: string;

  private constructor(service: ServiceProcess, folder: string, host: string, rpcUrl: string) {
    this.#service = service;
    this.#folder = folder;
    this.#host = host;
    this.rpcUrl = rpcUrl;
  }

  /** Resolves when the network is ready. */
  static async start(): Promise<DocumentService> {
    const folder = mkdtempSync(join(tmpdir(), "millrace-documents-"));
    const config = join(folder, "config.json");
    const source = { kind: "devnet", market: "ETH", trafficEveryMs: 500 };
    const network = { id: "ETH", name: "Devnet", chainId: 0x6d696c01, source };
    const settings = { headAgeLimitMs: null, nativeSymbol: "ETH", nativeName: "Ether" };
    writeFileSync(config, JSON.stringify({ networks: [{ ...network, ...settings }] }));
    const shared = { MILLRACE_GRACE_PERIOD_MS: "500", MILLRACE_SEARCH_WORKERS: "0" };
    const service = new ServiceProcess({ environment: { MILLRACE_CONFIG: config, ...shared } });
    const [, host] = await service.line(/listens on http:\/\/(\S+)/);
    const [, rpcUrl] = await service.line(/"rpcUrl":"([^"]+)"/);
    await service.line(/"network ready"/);
    return new DocumentService(service, folder, host!, rpcUrl!);
  }

  get url(): string {
    return `http://${this.#host}`;
  }

  /** A block that speaks to this service in place of the documented one. */
  aimed(text: string): string {
    return text.replaceAll(DOCUMENTED, this.#host);
  }

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#service.end("SIGTERM");
  }
}
