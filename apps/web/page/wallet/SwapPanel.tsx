import type { PermitAnswer, SwapQuote, SwapTransactions } from "@millrace/api";
import { Effect } from "effect";
import { useState } from "preact/hooks";
import { amountText, partText } from "../format.ts";
import { useNetwork } from "../networks.ts";
import { FocusedHeading } from "../parts/FocusedHeading.tsx";
import { Notice } from "../parts/Notice.tsx";
import { safeName } from "../safeName.ts";
import { client, failureText } from "../service.ts";
import type { KnownToken } from "../tokens.ts";
import type { BuiltSwap } from "./BuiltSwap.ts";
import { heldBy } from "./heldBy.ts";
import { type Provider, toChain, useWallets, type Wallet, walletFailure } from "./provider.ts";
import { Review } from "./Review.tsx";

interface Connected {
  readonly wallet: Wallet;
  readonly account: string;
}

const SLIPPAGES = [0.1, 0.5, 1, 3] as const;

/** Executes the quote that is shown, by a wallet of the reader's. */
export function SwapPanel({
  quote,
  into,
  out,
}: {
  readonly quote: SwapQuote;
  readonly into: KnownToken | undefined;
  readonly out: KnownToken | undefined;
}) {
  const network = useNetwork();
  const wallets = useWallets(network);
  const [connected, setConnected] = useState<Connected>();
  const [slippage, setSlippage] = useState(0.5);
  const [built, setBuilt] = useState<BuiltSwap>();
  const [working, setWorking] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const attempt = async (
    what: string,
    run: () => Promise<void>,
    words: (cause: unknown) => string,
  ) => {
    setFailure(undefined);
    setWorking(what);
    try {
      await run();
    } catch (cause) {
      setFailure(words(cause));
    }
    setWorking(undefined);
  };
  const connect = (wallet: Wallet) =>
    attempt(
      "Waiting for the wallet…",
      async () => {
        const accounts = await wallet.provider.request({ method: "eth_requestAccounts" });
        const [account] = accounts as ReadonlyArray<string>;
        if (account === undefined) throw new Error("The wallet gave no account.");
        await toChain(wallet.provider, network);
        setConnected({ wallet, account });
      },
      walletFailure,
    );
  const build = ({ wallet: { provider }, account }: Connected) =>
    attempt(
      "Building and simulating…",
      async () => {
        await toChain(provider, network);
        if (into !== undefined) {
          const held = await heldBy(provider, account, into, quote.isNativeIn);
          if (held < BigInt(quote.amountIn)) throw new Error(tooFew(held, into));
        }
        const answer = await buildSwap(network.id, { quote, account, slippage, provider });
        setBuilt({ quote, answer, account, provider });
      },
      // A problem of the service says why; else it was the wallet.
      (cause) => (Object(cause).detail === undefined ? walletFailure(cause) : failureText(cause)),
    );
  if (into === undefined || out === undefined) return null;
  if (built !== undefined) {
    return <Review built={built} into={into} out={out} onDone={() => setBuilt(undefined)} />;
  }
  return (
    <section class="swap" aria-labelledby="swap">
      {connected === undefined ? (
        <h2 id="swap">Execute it</h2>
      ) : (
        <FocusedHeading id="swap">Execute it</FocusedHeading>
      )}
      {quote.executable === false && (
        <Notice kind="warning">No router of the network can execute all of it.</Notice>
      )}
      {connected === undefined ? (
        <p>
          {wallets.length === 0 && "No wallet of this browser has announced itself."}
          {wallets.map((wallet) => (
            <button
              key={wallet.id}
              type="button"
              disabled={working !== undefined}
              onClick={() => void connect(wallet)}
            >
              Connect {safeName(wallet.name).text}
            </button>
          ))}
        </p>
      ) : (
        <p>
          <span>
            {safeName(connected.wallet.name).text}: <code>{connected.account}</code>
          </span>
          <label>
            Slippage
            <select
              value={String(slippage)}
              onChange={({ currentTarget }) => setSlippage(Number(currentTarget.value))}
            >
              {SLIPPAGES.map((percent) => (
                <option key={percent} value={String(percent)}>
                  {partText(100 * percent)}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            class="main"
            disabled={working !== undefined || quote.executable === false}
            onClick={() => void build(connected)}
          >
            Review the swap of {amountText(quote.amountIn, into.decimals)}
          </button>
        </p>
      )}
      {working !== undefined && <Notice>{working}</Notice>}
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
    </section>
  );
}

const tooFew = (held: bigint, { decimals, symbol }: KnownToken): string =>
  `The account holds ${amountText(held, decimals)} ${safeName(symbol).text}: less than goes in.`;

interface Order {
  readonly quote: SwapQuote;
  readonly account: string;
  readonly slippage: number;
  readonly provider: Provider;
}

/** Asks for a signature in place of an approval where the token takes one, then for the swap. */
async function buildSwap(network: string, order: Order): Promise<SwapTransactions> {
  const { quote, account, slippage, provider } = order;
  const payload = { publicKey: account, quote, slippage } as never;
  const ask = <A, E>(request: Effect.Effect<A, E>) => Effect.runPromise(request);
  const { swap } = client.http;
  const params = { network };
  const asked = await ask(swap.permit({ params, payload }));
  if (asked.kind === "NONE" || asked.typedData === undefined) {
    return ask(swap.swap({ params, payload }));
  }
  const permit = await signed(provider, account, asked);
  if (permit === undefined) return ask(swap.swap({ params, payload }));
  return ask(swap.swap({ params, payload: { ...(payload as object), permit } as never }));
}

/** The signature of what is permitted; undefined where the wallet cannot sign such data. */
async function signed(provider: Provider, account: string, { kind, typedData }: PermitAnswer) {
  const { message } = typedData!;
  const text = JSON.stringify(withDomainType(typedData!));
  const signature = await provider.request({
    ...{ method: "eth_signTypedData_v4", params: [account, text] },
  });
  if (typeof signature !== "string") return undefined;
  const of = (fields: Readonly<Record<string, unknown>>, name: string) => String(fields[name]);
  if (kind === "EIP-2612") {
    const [amount, deadline] = [of(message, "value"), of(message, "deadline")];
    return { signature, amount, deadline, nonce: of(message, "nonce") };
  }
  const details = message["details"] as Readonly<Record<string, unknown>>;
  return {
    ...{ signature, amount: of(details, "amount"), nonce: of(details, "nonce") },
    ...{ expiration: of(details, "expiration"), deadline: of(message, "sigDeadline") },
  };
}

const DOMAIN_TYPES: Readonly<Record<string, string>> = {
  ...{ name: "string", version: "string", chainId: "uint256", verifyingContract: "address" },
};

/** Wallets want the type of the domain among the types. */
function withDomainType(typedData: NonNullable<PermitAnswer["typedData"]>) {
  const EIP712Domain = Object.keys(DOMAIN_TYPES)
    .filter((name) => name in typedData.domain)
    .map((name) => ({ name, type: DOMAIN_TYPES[name]! }));
  return { ...typedData, types: { EIP712Domain, ...typedData.types } };
}
