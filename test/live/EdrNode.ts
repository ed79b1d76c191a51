import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
  type Provider,
} from "@nomicfoundation/edr";
import { hexToBytes, keccak256, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const HARDFORK = "prague";
/** The set-up's wait, by which the clock is set forward. */
const LATE_S = 7_200n;
const BLOCK_GAS = 2_000_000_000n;
const NATIVE_BALANCE = 10n ** 24n;
/** As many as anvil signs for. */
const ACCOUNT_COUNT = 6;
const UNKNOWN_METHOD = -32601;

/** Hardhat's EVM behind JSON-RPC over HTTP: a second implementation beside anvil's. */
export class EdrNode {
  readonly url: string;
  readonly close: () => Promise<void>;
  /** Requested methods that it does not have. */
  readonly unsupported: ReadonlySet<string>;

  private constructor(url: string, unsupported: ReadonlySet<string>, close: () => Promise<void>) {
    this.url = url;
    this.unsupported = unsupported;
    this.close = close;
  }

  static async start(chainId: number): Promise<EdrNode> {
    const provider = await openProvider(chainId);
    const unsupported = new Set<string>();
    const server = createServer((request, response) => {
      // There are no WebSockets, so followers poll.
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      void answer(provider, request, unsupported).then((text) => {
        response.writeHead(200, { "content-type": "application/json" }).end(text);
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    return new EdrNode(`http://127.0.0.1:${port}`, unsupported, async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    });
  }
}

async function openProvider(chainId: number): Promise<Provider> {
  const keys = Array.from({ length: ACCOUNT_COUNT }, (_, index) =>
    keccak256(stringToHex(`an account of the second node: ${index}`)),
  );
  const accounts = keys.map((key) => ({
    address: hexToBytes(privateKeyToAccount(key).address),
    balance: NATIVE_BALANCE,
  }));
  const context = new EdrContext();
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
  return await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: true,
      bailOnCallFailure: true,
      // As on a real node, reverting transactions are mined.
      bailOnTransactionFailure: false,
      chainId: BigInt(chainId),
      networkId: BigInt(chainId),
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: 16_777_216n,
      genesisState: [...l1GenesisState(l1HardforkFromString(HARDFORK)), ...accounts],
      hardfork: HARDFORK,
      initialBaseFeePerGas: 1_000_000_000n,
      minGasPrice: 0n,
      mining: {
        autoMine: true,
        blockGasLimit: BLOCK_GAS,
        memPool: { order: MineOrdering.Fifo },
      },
      network: {
        genesisBlockGasLimit: BLOCK_GAS,
        genesisBlockTime: BigInt(Math.floor(Date.now() / 1_000)) - LATE_S,
      },
      observability: {},
      ownedAccounts: keys,
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  );
}

interface Request {
  readonly id: number;
  readonly method: string;
}

/** The text of one answer, or of a list for a batch. */
async function answer(
  provider: Provider,
  request: IncomingMessage,
  unsupported: Set<string>,
): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const asked = JSON.parse(Buffer.concat(parts).toString()) as Request | ReadonlyArray<Request>;
  const one = async (each: Request) => {
    const { data } = await provider.handleRequest(JSON.stringify(each));
    const given = typeof data === "string" ? JSON.parse(data) : data;
    const { error } = given;
    if (error?.code === UNKNOWN_METHOD || /not supported/.test(error?.message))
      unsupported.add(each.method);
    return { jsonrpc: "2.0", id: each.id, ...given };
  };
  if (!Array.isArray(asked)) return JSON.stringify(await one(asked as Request));
  const answers: unknown[] = [];
  for (const each of asked) answers.push(await one(each));
  return JSON.stringify(answers);
}
