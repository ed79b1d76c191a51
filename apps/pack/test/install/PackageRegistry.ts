import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly file: string;
}

/**
 * What a registry would tell of the tarballs of a folder: the packages of our scope are had from
 * here, and all others from where they always are.
 */
export class PackageRegistry {
  readonly packages: ReadonlyMap<string, PackedPackage>;
  readonly #server: Server;

  private constructor(packages: ReadonlyMap<string, PackedPackage>) {
    this.packages = packages;
    this.#server = createServer(({ url = "" }, response) => {
      const name = decodeURIComponent(url.slice(1));
      const { manifest, file } = packages.get(name.replace(/\.tgz$/, "")) ?? {};
      if (manifest === undefined || file === undefined) return void response.writeHead(404).end();
      if (name.endsWith(".tgz")) return void response.end(readFileSync(file));
      const integrity = `sha512-${hash("sha512", readFileSync(file), "base64")}`;
      const dist = { tarball: `${this.url}${name}.tgz`, integrity };
      const { version } = manifest;
      const versions = { [version]: { ...manifest, dist } };
      const time = { [version]: "2026-01-01T00:00:00.000Z" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions, time }));
    });
  }

  static async open(folder: string): Promise<PackageRegistry> {
    const files = readdirSync(folder).map((name) => join(folder, name));
    const packages = files.map((file): readonly [string, PackedPackage] => {
      const text = execFileSync("tar", ["-xzOf", file, "package/package.json"], {
        encoding: "utf8",
      });
      const manifest = JSON.parse(text);
      return [manifest.name, { manifest, file }];
    });
    const registry = new PackageRegistry(new Map(packages));
    await once(registry.#server.listen(0, "127.0.0.1"), "listening");
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** What stands in no scope is installed by its tarball. */
  specOf(name: string): string {
    const found = this.packages.get(name);
    if (found === undefined) return name;
    return name.startsWith("@") ? `${name}@${found.manifest.version}` : `file:${found.file}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
