#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before any other import, so that their compiled code is kept between starts.
enableCompileCache();
const words = process.argv.slice(2);
if (words.length === 1 && words[0] === "serve") {
  // A service runs for months: it loads none of the command's code.
  const { run } = await import("@millrace/server/run");
  run([]);
} else {
  const { runCommand } = await import("./runCommand.ts");
  runCommand(words);
}
