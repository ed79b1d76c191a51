import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path/posix";
import { argv, execPath } from "node:process";
import { fileURLToPath } from "node:url";
import {
  type Compiled,
  type CompilerSettings,
  compile,
  compilerVersion,
  EVM_VERSION,
} from "./compile.ts";

// The contracts that are kept in compiled form, so that their users need no compiler. `node run.mjs
// test/contracts/compileContracts.ts --write` compiles them anew.

export interface CommittedContract {
  /** From the root of the project. Imports are of sources beside it, as `./NAME.sol`. */
  readonly source: string;
  readonly contract: string;
  readonly output: string;
  readonly settings: CompilerSettings;
}

/** The content of a contract's file. */
export interface CommittedCode extends Omit<Compiled, "abi"> {
  readonly contract: string;
  readonly compiler: string;
  readonly settings: CompilerSettings & { readonly evmVersion: string };
}

export const committedContracts: ReadonlyArray<CommittedContract> = [
  {
    source: "packages/execution/contracts/Executor.sol",
    contract: "Executor",
    output: "packages/execution/src/compiled/Executor.json",
    settings: { runs: 1_000_000, viaIR: true },
  },
  {
    source: "packages/execution/contracts/SwapProbe.sol",
    contract: "SwapProbe",
    output: "packages/execution/src/compiled/SwapProbe.json",
    // It runs in no transaction, so it only has to be short.
    settings: { runs: 1, viaIR: false },
  },
  {
    source: "packages/execution/contracts/TokenProbe.sol",
    contract: "TokenProbe",
    output: "packages/execution/src/compiled/TokenProbe.json",
    settings: { runs: 1, viaIR: false },
  },
  {
    source: "packages/chain/contracts/IsolatedCalls.sol",
    contract: "IsolatedCalls",
    output: "packages/chain/src/compiled/IsolatedCalls.json",
    settings: { runs: 1, viaIR: false },
  },
  {
    source: "packages/chain/contracts/WordRanges.sol",
    contract: "WordRanges",
    output: "packages/chain/src/compiled/WordRanges.json",
    settings: { runs: 1, viaIR: true },
  },
  ...[
    ...["HostileToken", "DevnetRouter", "SwapQuoter"],
    ...["FeeHook", "PancakeV3PoolDeployer", "AerodromePool", "AerodromeFactory"],
    ...["SlipstreamPool", "SlipstreamFactory", "SlipstreamFeeModule"],
    ...["StableSurge", "RateProvider"],
    ...["ShareVault", "CurvePool", "CurveSilentPool"],
  ].map((contract) => ({
    source: `packages/devnet/contracts/${contract}.sol`,
    contract,
    output: `packages/devnet/src/compiled/${contract}.json`,
    settings: { runs: 200, viaIR: false },
  })),
  ...[
    ...["CurveStableNg", "CurveStableNgFactory", "CurveCryptoMath", "CurveCryptoFactory"],
    ...["CurveTwocrypto", "CurveTricrypto"],
  ].map((contract) => ({
    source: `packages/devnet/contracts/${contract}.sol`,
    contract,
    output: `packages/devnet/src/compiled/${contract}.json`,
    // Without it, their arguments overflow the stack.
    settings: { runs: 200, viaIR: true },
  })),
  ...["StakedToken", "WrappedStake"].map((contract) => ({
    source: "packages/devnet/contracts/WrappedStake.sol",
    contract,
    output: `packages/devnet/src/compiled/${contract}.json`,
    settings: { runs: 200, viaIR: false },
  })),
];

const fromRoot = (path: string) => new URL(`../../${path}`, import.meta.url);

export function readCommitted({ output }: CommittedContract): unknown {
  return JSON.parse(readFileSync(fromRoot(output), "utf8"));
}

/** The right content of a contract's file. */
export function compileCommitted({ source, contract, settings }: CommittedContract): CommittedCode {
  const compiled = compile(sourcesOf(source), settings);
  const { bytecode, deployedBytecode, immutableReferences } = compiled[contract]!;
  return {
    ...{ contract, compiler: compilerVersion() },
    settings: { ...settings, evmVersion: EVM_VERSION },
    ...{ bytecode, deployedBytecode, immutableReferences },
  };
}

/** A source and all that it imports; key: from the root of the project. */
function sourcesOf(source: string): Readonly<Record<string, string>> {
  const text = readFileSync(fromRoot(source), "utf8");
  const imports = [...text.matchAll(/^import .*"\.\/(.+)";$/gm)].map(([, name]) =>
    sourcesOf(`${dirname(source)}/${name}`),
  );
  return Object.assign({ [source]: text }, ...imports);
}

if (argv[1] === fileURLToPath(import.meta.url) && argv.includes("--write")) {
  for (const committed of committedContracts) {
    const code = compileCommitted(committed);
    writeFileSync(fromRoot(committed.output), `${JSON.stringify(code, undefined, 2)}\n`);
    console.log(`${committed.output}: ${code.deployedBytecode.length / 2 - 1} bytes`);
  }
  const biome = fileURLToPath(fromRoot("node_modules/@biomejs/biome/bin/biome"));
  const outputs = committedContracts.map(({ output }) => fileURLToPath(fromRoot(output)));
  spawnSync(execPath, [biome, "format", "--write", ...outputs], { stdio: "inherit" });
}
