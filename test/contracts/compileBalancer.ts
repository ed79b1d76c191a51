import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { posix } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";
import { EVM_VERSION, solcOutput } from "./compile.ts";

// Balancer publishes only the sources of V3, and its Vault takes long to compile. So the devnet
// keeps the compiled code. `node run.mjs test/contracts/compileBalancer.ts --write` makes it anew.

/** The content of a contract's file. */
interface PublishedCode {
  readonly contract: string;
  readonly compiler: string;
  readonly settings: object;
  /** SHA-256 of the source and all that it imports, with their paths. */
  readonly sources: string;
  readonly bytecode: Hex;
  /** For a factory: the place and length of its pools' creation code within its own. */
  readonly poolCode?: { readonly start: number; readonly length: number };
}

interface PublishedContract {
  readonly contract: string;
  /** In the package that publishes it. */
  readonly source: string;
  /** How often the optimizer expects each instruction to run, as Balancer compiles it. */
  readonly runs: number;
  /** The pool of a factory, in the same package. */
  readonly pool?: string;
}

const COMPILER = "0.8.26";
/** Balancer's own order of the optimizer's steps: its Vault hardly fits into a contract. */
const OPTIMIZER_STEPS =
  "dhfoDgvulfnTUtnIf [ xa[r]EscLM cCTUtTOntnfDIul Lcul Vcul [j] Tpeul xa[rul] xa[r]cL gvif CTUca[r]LSsTFOtfDnca[r]Iulc ] jmul[jul] VcTOcul jmul : fDnTOcmu";

const published = (folder: string, contract: string, runs: number): PublishedContract => ({
  ...{ contract, runs },
  source: `@balancer-labs/${folder}/contracts/${contract}.sol`,
});
const factory = (folder: string, pool: string): PublishedContract => ({
  ...{ ...published(folder, `${pool}Factory`, 9_999), pool },
});

export const publishedContracts: ReadonlyArray<PublishedContract> = [
  published("v3-vault", "Vault", 500),
  published("v3-vault", "VaultExtension", 500),
  published("v3-vault", "VaultAdmin", 9_999),
  published("v3-vault", "ProtocolFeeController", 9_999),
  published("v3-vault", "Router", 9_999),
  factory("v3-pool-weighted", "WeightedPool"),
  factory("v3-pool-stable", "StablePool"),
];

const require = createRequire(import.meta.url);

const outputOf = ({ contract }: PublishedContract) =>
  new URL(`../../packages/devnet/src/compiled/BalancerV3${contract}.json`, import.meta.url);

export const readPublished = (contract: PublishedContract): PublishedCode =>
  JSON.parse(readFileSync(outputOf(contract), "utf8"));

/** All fields except the code; needs no compiler. */
export function describePublished({
  contract,
  source,
  runs,
}: PublishedContract): Omit<PublishedCode, "bytecode" | "poolCode"> {
  const hash = createHash("sha256");
  for (const [path, text] of sourcesOf(source)) hash.update(`${path}\n${text}\n`);
  return { contract, compiler: COMPILER, settings: settingsOf(runs), sources: hash.digest("hex") };
}

/** The right content of a contract's file; throws with the compiler's message. */
export function compilePublished(published: PublishedContract): PublishedCode {
  const { source, contract, runs, pool } = published;
  const wanted = [source, ...(pool === undefined ? [] : [posix.join(source, `../${pool}.sol`)])];
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      [...sourcesOf(source)].map(([path, content]) => [path, { content }]),
    ),
    settings: {
      ...settingsOf(runs),
      outputSelection: Object.fromEntries(
        wanted.map((path) => [path, { [posix.basename(path, ".sol")]: ["evm.bytecode.object"] }]),
      ),
    },
  };
  const output = JSON.parse(solcOutput(JSON.stringify(input), `solc-${COMPILER}`)) as SolcOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const codeOf = (path: string) =>
    output.contracts[path]![posix.basename(path, ".sol")]!.evm.bytecode.object;
  const code = codeOf(source);
  const described = { ...describePublished(published), bytecode: `0x${code}` as const };
  if (pool === undefined) return described;
  const poolCode = codeOf(wanted[1]!);
  const start = code.indexOf(poolCode) / 2;
  if (start < 0) throw new Error(`${contract} does not have the code of ${pool} in its own`);
  return { ...described, poolCode: { start, length: poolCode.length / 2 } };
}

interface SolcOutput {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>;
  readonly contracts: Readonly<
    Record<string, Record<string, { readonly evm: { readonly bytecode: { object: string } } }>>
  >;
}

const settingsOf = (runs: number) => ({
  ...{ viaIR: true, evmVersion: EVM_VERSION },
  optimizer: {
    ...{ enabled: true, runs },
    details: { yulDetails: { optimizerSteps: OPTIMIZER_STEPS } },
  },
  metadata: { bytecodeHash: "none", appendCBOR: false },
});

/** A source and all that it imports, by their paths, in the order of these. */
function sourcesOf(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    const text = readFileSync(require.resolve(path.replace(/^permit2/, PERMIT2)), "utf8");
    found.set(path, text);
    for (const [, name] of text.matchAll(/^(?:import|\}).*"([^"]+)";$/gm))
      visit(name!.startsWith(".") ? posix.join(posix.dirname(path), name!) : name!);
  };
  visit(source);
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Published within another package only. */
const PERMIT2 = "@uniswap/v4-periphery/lib/permit2";

if (argv[1] === fileURLToPath(import.meta.url) && argv.includes("--write")) {
  // The named contracts, or all.
  const names = argv.slice(argv.indexOf("--write") + 1);
  const isWanted = ({ contract }: PublishedContract) =>
    names.length === 0 || names.includes(contract);
  for (const contract of publishedContracts.filter(isWanted)) {
    const code = compilePublished(contract);
    writeFileSync(outputOf(contract), `${JSON.stringify(code, undefined, 2)}\n`);
    console.log(`${contract.contract}: ${code.bytecode.length / 2 - 1} bytes`);
  }
}
