import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkedConfig } from "../../src/config/loadConfig.ts";
import { launchDevnet } from "../../src/launchDevnet.ts";
import { DEPLOY } from "./programs.ts";

const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");

interface ComposeService {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: ReadonlyArray<string>;
  readonly security_opt?: ReadonlyArray<string>;
  readonly volumes?: ReadonlyArray<string>;
  readonly ports?: ReadonlyArray<string>;
  readonly build?: { readonly dockerfile: string; readonly target: string };
}
const compose: {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: object;
} = parse(read("compose.yaml"), { merge: true });
const services = Object.entries(compose.services);
const named = (form: RegExp) => Object.keys(compose.services).filter((name) => form.test(name));

const SETTINGS = ["compose/leader.json", "compose/quotes.json"];

describe("the compose file", () => {
  it("has three quote servers, two leaders, and all that they need and that watches them", () => {
    expect(named(/^quotes-/)).toHaveLength(3);
    expect(named(/^leader-/)).toHaveLength(2);
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(["redis", "prometheus", "grafana", "haproxy", "devnet"]),
    );
  });

  it("gives no service a root that it can write, a right, or a port beyond this machine", () => {
    for (const [name, service] of services) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
      for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it("mounts files that exist, and volumes that it names", () => {
    const sources = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((mount) => mount.split(":")[0]!),
    );
    expect(sources.length).toBeGreaterThan(8);
    const missing = sources.filter((source) =>
      source.startsWith("./") ? !existsSync(join(DEPLOY, source)) : !(source in compose.volumes),
    );
    expect(missing).toEqual([]);
  });

  it("builds targets that the Dockerfile has, none of them by a tag alone", () => {
    const dockerfile = read("Dockerfile");
    const targets = services.flatMap(([, { build }]) =>
      build === undefined ? [] : [build.target],
    );
    expect(new Set(targets)).toEqual(new Set(["service", "devnet"]));
    for (const target of targets)
      expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${target}$`, "m"));
    // The base image is an argument without a default.
    expect(dockerfile).toMatch(/^ARG BASE$/m);
    expect(dockerfile.match(/^FROM (?!\$\{(BASE|BUILDER)\}|common)/gm)).toBeNull();
  });

  it("is what Prometheus and the balancer read", () => {
    const servers = named(/^(quotes|leader)-/);
    const { scrape_configs: jobs } = parse(read("prometheus/prometheus.yaml"));
    const targets: string[] = jobs.flatMap(
      (job: { static_configs: Array<{ targets: string[] }> }) =>
        job.static_configs.flatMap((each) => each.targets),
    );
    expect(targets.sort()).toEqual(servers.map((name) => `${name}:9090`).sort());
    const balanced = [...read("haproxy.cfg").matchAll(/^ {4}server (\S+) (\S+):8080/gm)];
    expect(balanced.map(([, name]) => name)).toEqual(named(/^quotes-/));
    expect(balanced.map(([, , host]) => host)).toEqual(named(/^quotes-/));
  });

  it("follows the devnet that it starts, with settings that the service takes", async () => {
    const terms = { market: "ETH", host: "devnet", trafficEveryMs: 1_000 } as const;
    const { configuration, rpcUrl, close } = await launchDevnet(terms);
    await close();
    // Includes the colon, since addresses may contain the digits of a port.
    const written = JSON.stringify(configuration["networks"]);
    const networks = JSON.parse(written.replaceAll(`:${new URL(rpcUrl).port}`, ":8545"));
    const leads: unknown[] = [];
    for (const file of SETTINGS) {
      if (process.env["UPDATE_DOCS"] === "1") {
        const text = JSON.stringify({ ...JSON.parse(read(file)), networks }, null, 2);
        writeFileSync(join(DEPLOY, file), `${text}\n`);
      }
      expect(JSON.parse(read(file)).networks).toEqual(networks);
      const config = await Effect.runPromise(checkedConfig(JSON.parse(read(file))));
      // The balancer checks every second, three times.
      expect(config.readinessDelayMs).toBeGreaterThanOrEqual(3_000);
      expect(config.operations).toMatchObject({ port: 9090 });
      expect(config.feed).toMatchObject({ url: "redis://redis:6379", name: "devnet" });
      leads.push(config.feed?.lead);
    }
    // A server without a data directory does not lead.
    expect(leads).toEqual(["standby", "never"]);
  });
});
