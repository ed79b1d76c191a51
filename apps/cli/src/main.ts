#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is loaded: compiled code is kept between starts.
enableCompileCache();
const words = process.argv.slice(2);
if (words.length === 1 && words[0] === "serve") {
  // Nothing of the command is loaded with a service that runs for months.
  const { run } = await import("@millrace/server/run");
  run([]);
} else {
  const { runCommand } = await import("./runCommand.ts");
  runCommand(words);
}
