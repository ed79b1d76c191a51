import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Path of a recording of real data, which lies beside the project, not in it. */
export function sharedDataPath(name: string): string {
  return fileURLToPath(new URL(`../../../../shared/data/${name}`, import.meta.url));
}

/** Such a file, parsed. It is not validated, since it is ours. */
export function readData<A>(name: string): A {
  return JSON.parse(readFileSync(sharedDataPath(name), "utf8")) as A;
}
