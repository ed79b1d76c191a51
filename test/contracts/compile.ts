import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import type { Abi, Hex } from "viem";

/** Loading it takes time and much memory, so it is loaded only to compile. */
interface Compiler {
  readonly version: () => string;
  readonly compile: (input: string) => string;
}

export interface CompilerSettings {
  /** How often the optimizer expects each instruction to run in the contract's life. */
  readonly runs: number;
  readonly viaIR: boolean;
}

export interface Compiled {
  readonly abi: Abi;
  /** Creation code, without constructor arguments. */
  readonly bytecode: Hex;
  /** Runtime code, with zeros where immutables go. */
  readonly deployedBytecode: Hex;
  /** Where the 32 bytes of each immutable begin in the runtime code, in bytes. */
  readonly immutableReferences: Readonly<Record<string, ReadonlyArray<number>>>;
}

export const EVM_VERSION = "cancun";

/** The version of the Solidity compiler in use. */
export const compilerVersion = (): string => loadCompiler("solc").version();

/**
 * All contracts of some sources (path to text, which may import each other by these paths), by
 * name. Throws with the compiler's words when there is an error, or a warning.
 */
export function compile(
  sources: Readonly<Record<string, string>>,
  { runs, viaIR }: CompilerSettings = { runs: 200, viaIR: false },
): Readonly<Record<string, Compiled>> {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      Object.entries(sources).map(([path, content]) => [path, { content }]),
    ),
    settings: {
      ...{ evmVersion: EVM_VERSION, optimizer: { enabled: true, runs }, viaIR },
      // Without metadata, comments do not change the code.
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: {
        "*": { "": ["ast"], "*": ["abi", "evm.bytecode", "evm.deployedBytecode"] },
      },
    },
  };
  const output = JSON.parse(solcOutput(JSON.stringify(input))) as Output;
  const complaints = (output.errors ?? []).filter(
    ({ severity, errorCode }) => severity !== "info" && !EXPECTED_WARNINGS.has(errorCode),
  );
  if (complaints.length > 0)
    throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const names = immutableNames(output.sources);
  const contracts = Object.values(output.contracts).flatMap((file) => Object.entries(file));
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
        immutableReferences: Object.fromEntries(
          Object.entries(evm.deployedBytecode.immutableReferences ?? {}).map(([id, places]) => [
            names.get(Number(id)) ?? id,
            places.map(({ start }) => start),
          ]),
        ),
      } satisfies Compiled,
    ]),
  );
}

/** 2394: transient storage can break composability; reported at its first use. */
const EXPECTED_WARNINGS = new Set(["2394"]);

interface Output {
  readonly errors?: ReadonlyArray<{
    readonly severity: string;
    readonly errorCode: string;
    readonly formattedMessage: string;
  }>;
  readonly sources: Readonly<Record<string, { readonly ast: AstNode }>>;
  readonly contracts: Readonly<Record<string, Readonly<Record<string, OutputContract>>>>;
}

interface OutputContract {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: {
      readonly object: string;
      readonly immutableReferences?: Readonly<Record<string, ReadonlyArray<{ start: number }>>>;
    };
  };
}

interface AstNode {
  readonly id: number;
  readonly name?: string;
  readonly mutability?: string;
  readonly nodes?: ReadonlyArray<AstNode>;
}

/** Names of the immutables by the ids of their declarations, which change with any edit. */
function immutableNames(sources: Output["sources"]): ReadonlyMap<number, string> {
  const declarations = Object.values(sources)
    .flatMap(({ ast }) => ast.nodes ?? [])
    .flatMap(({ nodes }) => nodes ?? [])
    .filter(({ mutability }) => mutability === "immutable");
  return new Map(declarations.map(({ id, name }) => [id, name ?? String(id)]));
}

/**
 * The compiler's output, from a cache where possible: many files need the same contracts, and
 * compiling takes seconds. If another process is compiling them, this waits for it.
 */
export function solcOutput(input: string, solc: SolcPackage = "solc"): string {
  const { version } = require(`${solc}/package.json`) as { readonly version: string };
  const name = createHash("sha256").update(version).update(input).digest("hex");
  const file = new URL(`${name}.json`, OUTPUTS);
  const lock = new URL(`${name}.lock`, OUTPUTS);
  mkdirSync(OUTPUTS, { recursive: true });
  while (!existsSync(file)) {
    if (!takeLock(lock)) continue;
    const part = new URL(`${name}.${process.pid}`, OUTPUTS);
    try {
      writeFileSync(part, loadCompiler(solc).compile(input));
      // Renamed once it is whole, since others read it as soon as it exists.
      renameSync(part, file);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return readFileSync(file, "utf8");
}

/** No compilation takes longer: the holder of an older lock must have died. */
const LOCK_MS = 120_000;
const PAUSE_MS = 50;

/** False, after a pause, where another process holds the lock. */
function takeLock(lock: URL): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > LOCK_MS) rmSync(lock, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    return false;
  }
}

const OUTPUTS = new URL("../../node_modules/.cache/millrace-solc/", import.meta.url);

const require = createRequire(import.meta.url);

/** Our own contracts are written for the first; the other is Balancer's choice. */
const COMPILERS = {
  solc: () => require("solc"),
  "solc-0.8.26": () => require("solc-0.8.26"),
} as const;
type SolcPackage = keyof typeof COMPILERS;

const loadCompiler = (solc: SolcPackage) => COMPILERS[solc]() as Compiler;
