import type { PermitAnswer } from "@millrace/api";
import { amountText, timeText } from "../format.ts";
import type { NetworkEntry } from "../networks.ts";
import { safeName } from "../safeName.ts";
import type { KnownToken } from "../tokens.ts";
import type { Provider } from "./provider.ts";

type TypedData = NonNullable<PermitAnswer["typedData"]>;
type Message = Readonly<Record<string, unknown>>;

/** The permission that the data to sign grants. */
interface ReadPermit {
  readonly chainId: number;
  readonly token: string;
  readonly spender: string;
  /** In smallest units. */
  readonly amount: string;
  readonly nonce: string;
  /** Unix seconds until which the signature can be used. */
  readonly deadline: string;
  /** Unix seconds until which the allowance lasts, where that differs. */
  readonly expiration?: string;
}

/** Reads a permit of EIP-2612, or of Permit2 for a single token. */
function readPermit(kind: PermitAnswer["kind"], { domain, message }: TypedData): ReadPermit {
  const of = (fields: Message, name: string) => String(fields[name]);
  const common = { chainId: Number(domain["chainId"]), spender: of(message, "spender") };
  if (kind === "EIP-2612") {
    return {
      ...common,
      ...{ token: of(domain, "verifyingContract"), amount: of(message, "value") },
      ...{ nonce: of(message, "nonce"), deadline: of(message, "deadline") },
    };
  }
  const details = Object(message["details"]) as Message;
  return {
    ...common,
    ...{ token: of(details, "token"), amount: of(details, "amount") },
    ...{ nonce: of(details, "nonce"), expiration: of(details, "expiration") },
    deadline: of(message, "sigDeadline"),
  };
}

/** The permit that a service asks to sign for a swap. */
export interface AskedPermit {
  readonly answer: PermitAnswer;
  readonly typedData: TypedData;
  readonly network: NetworkEntry;
  /** The input, in smallest units. */
  readonly amountIn: string;
  readonly into: KnownToken;
}

/** The largest amount of a permit, as a multiple of the input; no slippage comes near it. */
const TIMES_MAX = 2n;

/** The permission in words. Throws where the swap does not need it. */
export function permitText({ answer, typedData, network, amountIn, into }: AskedPermit): string {
  const permit = readPermit(answer.kind, typedData);
  const isSame = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();
  const isNeeded =
    permit.chainId === network.chainId &&
    isSame(permit.token, into.contractAddress) &&
    isSame(permit.spender, answer.spender) &&
    BigInt(permit.amount) <= TIMES_MAX * BigInt(amountIn);
  if (!isNeeded) {
    throw new Error("The service asks for a signature that allows something else: go back.");
  }
  const amount = `${amountText(permit.amount, into.decimals)} ${safeName(into.symbol).text}`;
  const until = timeText(1_000 * Number(permit.expiration ?? permit.deadline));
  return `To be signed: that ${permit.spender} may take ${amount} until ${until}…`;
}

/** The signature of the permit; undefined where the wallet cannot sign such data. */
export async function signedPermit(
  provider: Provider,
  account: string,
  { answer: { kind }, typedData }: AskedPermit,
) {
  const text = JSON.stringify(withDomainType(typedData));
  const signature = await provider.request({
    ...{ method: "eth_signTypedData_v4", params: [account, text] },
  });
  if (typeof signature !== "string") return undefined;
  const { amount, nonce, deadline, expiration } = readPermit(kind, typedData);
  return { signature, amount, nonce, deadline, ...(expiration !== undefined && { expiration }) };
}

const DOMAIN_TYPES: Readonly<Record<string, string>> = {
  ...{ name: "string", version: "string", chainId: "uint256", verifyingContract: "address" },
};

/** Wallets require the domain's type among the types. */
function withDomainType(typedData: TypedData) {
  const EIP712Domain = Object.keys(DOMAIN_TYPES)
    .filter((name) => name in typedData.domain)
    .map((name) => ({ name, type: DOMAIN_TYPES[name]! }));
  return { ...typedData, types: { EIP712Domain, ...typedData.types } };
}
