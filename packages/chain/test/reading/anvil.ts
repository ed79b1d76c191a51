import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { postJson, postText } from "@millrace/testing";
import { Effect } from "effect";
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Endpoint } from "../../src/rpc/Endpoints.ts";
import { RpcError } from "../../src/rpc/RpcError.ts";

/** The devnet's dependencies: real contracts, and a real EVM to run them on. */
const devnet = createRequire(new URL("../../../devnet/package.json", import.meta.url));

const CHAIN_ID = 77_077;
/** Anvil's first default account, which holds nothing on any real chain. */
const account = privateKeyToAccount(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
const GAS = 15_000_000n;

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

/** A contract's ABI and creation code, from a file in a package. */
export function artifact(path: string): Artifact {
  const { abi, bytecode } = devnet(path) as { abi: Abi; bytecode: string | { object: string } };
  const code = typeof bytecode === "string" ? bytecode : bytecode.object;
  return { abi, bytecode: (code.startsWith("0x") ? code : `0x${code}`) as Hex };
}

/** Multicall3's creation code, which viem does not export. */
export function multicallCode(): Hex {
  const path = join(dirname(devnet.resolve("viem")), "constants/contracts.js");
  return (devnet(path) as { multicall3Bytecode: Hex }).multicall3Bytecode;
}

/** A node in its own process; the caller has to stop it. */
export class Anvil {
  readonly url: string;
  readonly stop: () => void;
  #nonce = 0;

  private constructor(url: string, stop: () => void) {
    this.url = url;
    this.stop = stop;
  }

  static async start(): Promise<Anvil> {
    const package_ = devnet.resolve("@foundry-rs/anvil/package.json");
    const platform = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
    const home = dirname(createRequire(package_).resolve(`${platform}/package.json`));
    const child = spawn(
      join(home, "bin/anvil"),
      ["--port", "0", "--chain-id", String(CHAIN_ID), "--no-request-size-limit"],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const stop = () => void child.kill("SIGKILL");
    process.once("exit", stop);
    const port = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout.on("data", (chunk) => {
        said += chunk;
        const found = /Listening on [^\s:]+:(\d+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`anvil ended: ${said}`)));
    });
    return new Anvil(`http://127.0.0.1:${port}`, stop);
  }

  async rpc<A>(method: string, ...params: ReadonlyArray<unknown>): Promise<A> {
    const request = { jsonrpc: "2.0", id: 1, method, params };
    const answer = await postJson<{ result: A; error?: { message: string } }>(this.url, request);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  /** Sends a transaction, waits for its block, and gives the contract that it created, if any. */
  async send(data: Hex, to?: Address): Promise<Address> {
    const signed = await account.signTransaction({
      chainId: CHAIN_ID,
      nonce: this.#nonce++,
      gas: GAS,
      maxFeePerGas: 10n ** 10n,
      data,
      ...(to === undefined ? {} : { to }),
    });
    const receipt = await this.rpc<{ status: Hex; contractAddress: Address }>(
      "eth_sendRawTransactionSync",
      signed,
    );
    if (receipt.status !== "0x1") throw new Error("a transaction failed");
    return receipt.contractAddress;
  }

  deploy({ abi, bytecode }: Artifact, ...args: ReadonlyArray<unknown>): Promise<Address> {
    return this.send(encodeDeployData({ abi, bytecode, args: [...args] }));
  }

  async call(to: Address, { abi }: Artifact, functionName: string, ...args: unknown[]) {
    await this.send(encodeFunctionData({ abi, functionName, args }), to);
  }

  /** The node as an endpoint that reads at most `bytesMax` bytes of an answer. */
  endpoint(bytesMax = 50_000_000): Endpoint & { readonly methods: ReadonlyArray<string> } {
    const methods: string[] = [];
    const fail = (method: string, reason: RpcError["reason"], detail: string) =>
      new RpcError({ endpoint: "anvil", method, reason, detail });
    const request: Endpoint["request"] = (method, params) => {
      methods.push(method);
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return Effect.tryPromise({
        try: () => postText(this.url, body),
        catch: (cause) => fail(method, "Unreachable", String(cause)),
      }).pipe(
        Effect.flatMap(({ text }) => {
          if (text.length > bytesMax) return Effect.fail(fail(method, "TooLarge", "a bomb"));
          const answer = JSON.parse(text) as { result?: unknown; error?: { message: string } };
          return answer.error === undefined
            ? Effect.succeed(answer.result)
            : Effect.fail(fail(method, "Refused", answer.error.message));
        }),
      );
    };
    return { name: "anvil", request, methods };
  }
}

export const deployer = account.address;
