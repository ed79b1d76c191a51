import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually, killProcesses, ServiceProcess } from "@millrace/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTraces } from "../../src/traces/openTraces.ts";
import { Sample } from "../../src/traces/Sample.ts";
import type { TraceSettings } from "../../src/traces/traceSettings.ts";
import { networkOn } from "../kit/networkOn.ts";
import { NATIVE, type Service, startConfigured, UNIVERSE_A } from "../kit/service.ts";
import { builtAndTried, quoted, SwapChain, sendAll } from "../swap/swapChain.ts";

/** A collector of traces, which keeps all received spans. */
class Collector {
  readonly spans: Span[] = [];
  readonly requests: Array<{ readonly path: string; readonly headers: object }> = [];
  service: string | undefined;
  /** Answers nothing at all. */
  isSilent = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        this.requests.push({ path: request.url ?? "", headers: request.headers });
        if (this.isSilent) return;
        const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString());
        for (const { resource, scopeSpans } of resourceSpans) {
          this.service = attributesOf(resource)["service.name"] as string;
          for (const { spans } of scopeSpans) this.spans.push(...spans);
        }
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((done) => collector.#server.listen(0, "127.0.0.1", done));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: ReadonlyArray<object>;
}

type Attribute = { key: string; value: Record<string, unknown> };
const attributesOf = ({ attributes }: { attributes: ReadonlyArray<object> }) =>
  Object.fromEntries(
    (attributes as Attribute[]).map(({ key, value }) => {
      const [kind, given] = Object.entries(value)[0]!;
      return [key, kind === "intValue" ? Number(given) : given];
    }),
  );

const settingsFor = (collector: Collector): TraceSettings => ({
  url: `${collector.url}/v1/traces`,
  headers: { authorization: "Bearer of the test" },
  protocol: "http/json",
  serviceName: "millrace of a test",
  ratio: 1,
});

/** The spans of a service on the chain, complete after its end. */
async function tracesOf(
  chain: SwapChain,
  use: (service: Service) => Promise<unknown>,
): Promise<Collector> {
  const collector = await Collector.start();
  try {
    const network = networkOn(chain.chain.devnet, { routers: chain.routers });
    const layer = openTraces(settingsFor(collector));
    const service = await startConfigured({ networks: [network] }, {}, layer);
    try {
      await eventually(async () => (await service.get("/health/ready")).status === 200);
      await use(service);
    } finally {
      await service.stop();
    }
    return collector;
  } finally {
    collector.stop();
  }
}

let chain: SwapChain;
beforeAll(async () => {
  chain = await SwapChain.start();
});
afterAll(() => chain?.stop());
afterEach(killProcesses);

const ask = { tokenA: NATIVE, amountIn: "1000000000000000000" };

describe("traces of a service", () => {
  it("have a span of each request, with its search or the steps of its swap, and of each block", async () => {
    const tokenB = chain.addressOf("USDC");
    const sender = chain.traderOf(1);
    const collector = await tracesOf(chain, async (service) => {
      const quote = await quoted(service, { ...ask, tokenB });
      // The explanation takes a turn of its own.
      await quoted(service, { ...ask, tokenB, explain: true });
      expect((await service.post("/LOCAL/quote", { ...ask, tokenB: "?" })).status).toBe(400);
      const swap = await builtAndTried(service, { publicKey: sender, quote });
      expect((await service.get(`/tokens/${tokenB}`)).status).toBe(200);
      expect((await service.get("/networks")).status).toBe(200);
      await sendAll(chain, service, [swap.transactions.at(-1)!]);
    });
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(["/v1/traces"]));
    expect(collector.requests[0]!.headers).toMatchObject({ authorization: "Bearer of the test" });
    expect(collector.service).toBe("millrace of a test");
    const { spans } = collector;
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    const stepsOf = ({ spanId }: Span) =>
      spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);
    const rootsOf = (name: string) => roots.filter((root) => root.name === name);
    const quotes = rootsOf("POST /:network/quote");
    expect(quotes.map((root) => attributesOf(root)["http.response.status_code"])).toEqual([
      200, 200, 400,
    ]);
    expect(quotes.map(stepsOf)).toEqual([["search"], ["search"], []]);
    const swap = rootsOf("POST /:network/swap").at(-1)!;
    const steps = stepsOf(swap);
    for (const step of ["review", "encode", "decode", "approvals", "simulate"])
      expect(steps).toContain(step);
    expect(attributesOf(swap)).toMatchObject({ "http.route": "/:network/swap" });
    expect(rootsOf("GET /tokens/:address")).toHaveLength(1);
    expect(rootsOf("GET /networks")).toHaveLength(1);
    const blocks = rootsOf("block");
    expect(blocks.length).toBeGreaterThan(1);
    for (const block of blocks) {
      expect(stepsOf(block)).toEqual(["apply", "notify"]);
      expect(attributesOf(block)["millrace.chain_id"]).toBe(chain.chain.devnet.chainId);
    }
    const numbers = blocks.map((block) => attributesOf(block)["millrace.block"] as number);
    expect(numbers.at(-1)).toBeGreaterThan(numbers[0]!);
    // Health checks and metrics are left out.
    expect(spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
    for (const span of spans) {
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      const root = roots.find(({ traceId }) => traceId === span.traceId)!;
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(root.startTimeUnixNano) - 1_000n,
      );
    }
    const ageMs = Date.now() - Number(BigInt(quotes[0]!.startTimeUnixNano) / 1_000_000n);
    expect(ageMs).toBeGreaterThan(-1_000);
    expect(ageMs).toBeLessThan(120_000);
  });

  it("hold up nothing where the collector is silent", async () => {
    const collector = await Collector.start();
    collector.isSilent = true;
    try {
      const layer = openTraces(settingsFor(collector));
      const network = networkOn(chain.chain.devnet);
      const service = await startConfigured({ networks: [network] }, {}, layer);
      await eventually(async () => (await service.get("/health/ready")).status === 200);
      await quoted(service, { ...ask, tokenB: chain.addressOf("USDC") });
      await service.stop();
      expect(collector.requests.length).toBeGreaterThan(0);
      expect(collector.spans).toEqual([]);
    } finally {
      collector.stop();
    }
  });
});

describe("the sample of traces", () => {
  it("is a part by chance", () => {
    const part = new Sample(0.02);
    const taken = Array.from({ length: 2_000 }, () => part.takes()).filter(Boolean).length;
    // Six standard deviations around 40.
    expect(taken).toBeGreaterThan(2);
    expect(taken).toBeLessThan(78);
  });

  it("is no larger a second than a collector can bear, and nothing where nothing is asked", () => {
    const all = new Sample(1);
    const taken = Array.from({ length: 10_000 }, () => all.takes()).filter(Boolean).length;
    // A second may end meanwhile.
    expect([100, 200]).toContain(taken);
    const none = new Sample(0);
    expect(Array.from({ length: 1_000 }, () => none.takes())).not.toContain(true);
  });
});

describe("a service by itself", () => {
  it("sends traces where OpenTelemetry's variables say, and ends well", async () => {
    const collector = await Collector.start();
    try {
      const environment = {
        MILLRACE_MARKET_FILE: UNIVERSE_A,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: "always_on",
      };
      const service = new ServiceProcess({ environment });
      await service.ready();
      expect((await service.get("/networks")).status).toBe(200);
      expect(await service.end("SIGTERM")).toBe(0);
      expect(collector.service).toBe("millrace");
      const names = collector.spans.map(({ name }) => name);
      expect(names).toContain("GET /networks");
      expect(names).toContain("block");
    } finally {
      collector.stop();
    }
  });

  it("ends at once where they are wrong, and says so", async () => {
    const service = new ServiceProcess({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    });
    expect(await service.exit).toBe(1);
    expect(service.output.err).toContain("OTEL_EXPORTER_OTLP_ENDPOINT: a URL that begins with");
  });
});
