import { enableCompileCache } from "node:module";

// Before anything else is loaded: compiled code is kept between starts.
enableCompileCache();
const { run } = await import("./run.ts");
run(process.argv.slice(2));
