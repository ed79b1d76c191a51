#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is loaded: compiled code is kept between starts.
enableCompileCache();
const { runCommand } = await import("./runCommand.ts");
runCommand(process.argv.slice(2));
