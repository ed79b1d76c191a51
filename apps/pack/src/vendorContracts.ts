import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { contractFiles } from "@millrace/devnet";

/**
 * Copies the third-party compiled contracts that the devnet deploys, since their packages would
 * bring hundreds of others. Each package's licence stands beside them.
 */
export async function vendorContracts(own: string, target: string): Promise<void> {
  const require = createRequire(join(own, "package.json"));
  const packages = new Set<string>();
  for (const file of contractFiles) {
    const name = /^(@[^/]+\/)?[^/]+/.exec(file)![0];
    packages.add(name);
    const source = require.resolve(file);
    mkdirSync(dirname(join(target, file)), { recursive: true });
    if (!file.endsWith(".json")) {
      cpSync(source, join(target, file));
      continue;
    }
    const { bytecode } = JSON.parse(readFileSync(source, "utf8"));
    writeFileSync(join(target, file), JSON.stringify({ bytecode: bytecode.object ?? bytecode }));
  }
  for (const name of packages) {
    const folder = join(own, "node_modules", name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const licences = readdirSync(folder).filter((file) =>
      /^(licen[cs]e|copying|notice)/i.test(file),
    );
    const texts = licences.map((file) => readFileSync(join(folder, file), "utf8"));
    const about = `${name} ${manifest.version}, licence: ${manifest.license ?? "see its sources"}`;
    const source = `Compiled from the sources in that package: https://www.npmjs.com/package/${name}`;
    writeFileSync(join(target, name, "LICENCE.txt"), [about, source, ...texts].join("\n\n"));
  }
}
