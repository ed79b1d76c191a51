import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SHIPPED_BUILDS } from "@millrace/platform-uws/shippedBuilds";
import { billOfMaterials } from "./billOfMaterials.ts";
import { readLockfile } from "./lockfile.ts";

// npm run sbom [-- FILE]: writes the bill of materials, by default to millrace.cdx.json.

const { positionals } = parseArgs({ allowPositionals: true });
const [file = "millrace.cdx.json"] = positionals;
const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const { packageManager } = JSON.parse(read("package.json"));
const { name, version, license } = JSON.parse(read("packages/millrace/package.json"));
const graph = readLockfile(read("pnpm-lock.yaml"));

/** Each native library of the table, by the package that contains it. */
const libraries = new Map(
  Object.entries(SHIPPED_BUILDS).map(([build, sha256]) => {
    const brought = [...graph.packages].find(([, each]) => each.name === `@uwsjs/${build}`);
    if (brought === undefined) throw new Error(`the lockfile has no native library for ${build}`);
    return [brought[0], { "uws.node": sha256 }];
  }),
);

const product = { name, version, license, packageManager, libraries, service: "packages/millrace" };
const bill = billOfMaterials(graph, product);
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
process.stderr.write(`${file}: ${bill.components.length} components\n`);
