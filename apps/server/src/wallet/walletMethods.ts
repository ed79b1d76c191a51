/** An error of JSON-RPC 2.0, or of wallets (EIP-1193). */
export interface WalletError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

type Params = ReadonlyArray<unknown>;

/** A method of the wallets of devnets. */
export interface WalletMethod {
  /** The most parameters. */
  readonly paramsMax: number;
  /** A fault of the parameters that matters here; the node finds the others. */
  readonly fault?: (params: Params, accounts: ReadonlyArray<string>) => WalletError | undefined;
}

/** The allowed methods; a devnet's node would run all others as well, for anybody. */
export const WALLET_METHODS: ReadonlyMap<string, WalletMethod> = new Map<string, WalletMethod>([
  ["eth_chainId", { paramsMax: 0 }],
  ["eth_accounts", { paramsMax: 0 }],
  ["eth_requestAccounts", { paramsMax: 1 }],
  ["eth_blockNumber", { paramsMax: 0 }],
  ["eth_gasPrice", { paramsMax: 0 }],
  ["eth_getBalance", { paramsMax: 2 }],
  ["eth_getTransactionCount", { paramsMax: 2 }],
  ["eth_getTransactionReceipt", { paramsMax: 1 }],
  ["eth_call", { paramsMax: 2 }],
  ["eth_estimateGas", { paramsMax: 2 }],
  ["eth_sendTransaction", { paramsMax: 1, fault: faultOfTransaction }],
  ["eth_signTypedData_v4", { paramsMax: 2, fault: faultOfTypedData }],
]);

export const invalidParams = (message: string): WalletError => ({ code: -32_602, message });

function faultOfTransaction(
  [transaction]: Params,
  accounts: ReadonlyArray<string>,
): WalletError | undefined {
  if (typeof transaction !== "object" || transaction === null || Array.isArray(transaction)) {
    return invalidParams("Expected a transaction");
  }
  const other = Object.keys(transaction).find((key) => !TRANSACTION_FIELDS.has(key));
  if (other !== undefined) return invalidParams("A transaction has a field that is not taken");
  return faultOfAccount((transaction as { readonly from?: unknown }).from, accounts);
}

function faultOfTypedData(
  [account, data]: Params,
  accounts: ReadonlyArray<string>,
): WalletError | undefined {
  const isData = typeof data === "string" || (typeof data === "object" && data !== null);
  if (!isData) return invalidParams("Expected an account and typed data");
  return faultOfAccount(account, accounts);
}

function faultOfAccount(
  account: unknown,
  accounts: ReadonlyArray<string>,
): WalletError | undefined {
  if (typeof account !== "string") return invalidParams("Expected an account");
  if (accounts.includes(account.toLowerCase())) return undefined;
  return { code: 4_100, message: "The account is not the wallet's: see eth_accounts" };
}

const TRANSACTION_FIELDS = new Set([
  ...["from", "to", "value", "data", "input", "gas", "gasPrice", "nonce", "chainId", "type"],
  ...["maxFeePerGas", "maxPriorityFeePerGas", "accessList"],
]);
