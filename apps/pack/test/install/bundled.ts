import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

export interface Bundled {
  readonly gzipBytes: number;
  /** What is left to be had elsewhere, Node's own modules as a rule. */
  readonly imports: ReadonlyArray<string>;
}

/** All that a package of a project exports, as a page or a server would load it. */
export async function bundled(
  folder: string,
  name: string,
  platform: "browser" | "node",
): Promise<Bundled> {
  const id = "\0entry";
  const bundle = await rolldown({
    input: id,
    platform,
    cwd: folder,
    plugins: [
      {
        name: "entry",
        resolveId: (source, importer) =>
          importer === id && !isBuiltin(source)
            ? { id: createRequire(join(folder, "package.json")).resolve(source) }
            : source === id
              ? id
              : null,
        load: (loaded) => (loaded === id ? `export * from ${JSON.stringify(name)};` : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`${name}: ${others.length} more files`);
  return { gzipBytes: gzipSync(chunk.code).length, imports: chunk.imports };
}
