import type { SwapQuote, SwapTransactions } from "@millrace/api";
import { Effect } from "effect";
import { useState } from "preact/hooks";
import { amountText, partText } from "../format.ts";
import { type NetworkEntry, useNetwork } from "../networks.ts";
import { FocusedHeading } from "../parts/FocusedHeading.tsx";
import { Notice } from "../parts/Notice.tsx";
import { safeName } from "../safeName.ts";
import { client, failureText } from "../service.ts";
import type { KnownToken } from "../tokens.ts";
import type { BuiltSwap } from "./BuiltSwap.ts";
import { heldBy } from "./heldBy.ts";
import { type AskedPermit, permitText, signedPermit } from "./permit.ts";
import { type Provider, toChain, useWallets, type Wallet, walletFailure } from "./provider.ts";
import { Review } from "./Review.tsx";

interface Connected {
  readonly wallet: Wallet;
  readonly account: string;
}

const SLIPPAGES = [0.1, 0.5, 1, 3] as const;

/** Executes the shown quote with a wallet of the reader. */
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
  if (into === undefined || out === undefined) return null;
  const build = ({ wallet: { provider }, account }: Connected) =>
    attempt(
      "Building and simulating…",
      async () => {
        await toChain(provider, network);
        const held = await heldBy(provider, account, into, quote.isNativeIn);
        if (held < BigInt(quote.amountIn)) throw new Error(tooFew(held, into));
        const order = { quote, account, slippage, provider, into };
        const answer = await buildSwap(network, order, setWorking);
        setBuilt({ quote, answer, account, provider, into, out });
      },
      // A problem of the service has a detail; any other failure is the wallet's.
      (cause) => (Object(cause).detail === undefined ? walletFailure(cause) : failureText(cause)),
    );
  if (built !== undefined) return <Review built={built} onDone={() => setBuilt(undefined)} />;
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
  readonly into: KnownToken;
}

/**
 * Asks for a signature in place of an approval if the token accepts one, then for the swap.
 * `onPermit` gets, in words, what the signature allows.
 */
async function buildSwap(
  network: NetworkEntry,
  { quote, account, slippage, provider, into }: Order,
  onPermit: (text: string) => void,
): Promise<SwapTransactions> {
  const payload = { publicKey: account, quote, slippage } as never;
  const ask = <A, E>(request: Effect.Effect<A, E>) => Effect.runPromise(request);
  const { swap } = client.http;
  const params = { network: network.id };
  const answer = await ask(swap.permit({ params, payload }));
  const { typedData } = answer;
  if (answer.kind === "NONE" || typedData === undefined) {
    return ask(swap.swap({ params, payload }));
  }
  const asked: AskedPermit = { answer, typedData, network, amountIn: quote.amountIn, into };
  onPermit(permitText(asked));
  const permit = await signedPermit(provider, account, asked);
  if (permit === undefined) return ask(swap.swap({ params, payload }));
  return ask(swap.swap({ params, payload: { ...(payload as object), permit } as never }));
}
