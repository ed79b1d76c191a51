import { useEffect, useState } from "preact/hooks";
import type { NetworkEntry } from "../networks.ts";
import { safeName } from "../safeName.ts";

/** A wallet's interface (EIP-1193). */
export interface Provider {
  readonly request: (call: {
    readonly method: string;
    readonly params?: ReadonlyArray<unknown>;
  }) => Promise<unknown>;
}

/** A wallet of this browser, or a devnet's. */
export interface Wallet {
  readonly id: string;
  readonly name: string;
  readonly provider: Provider;
}

interface Announcement extends Event {
  readonly detail?: {
    readonly info?: { readonly uuid?: unknown; readonly name?: unknown };
    readonly provider?: Provider;
  };
}

/** Wallets that announce themselves (EIP-6963); on a devnet, its own comes first. */
export function useWallets(network: NetworkEntry): ReadonlyArray<Wallet> {
  const [announced, setAnnounced] = useState<ReadonlyArray<Wallet>>([]);
  useEffect(() => {
    const note = (event: Event) => {
      const { info, provider } = (event as Announcement).detail ?? {};
      if (typeof info?.uuid !== "string" || typeof info.name !== "string") return;
      if (typeof provider?.request !== "function") return;
      const wallet = { id: info.uuid, name: info.name, provider };
      setAnnounced((others) => [...others.filter(({ id }) => id !== wallet.id), wallet]);
    };
    addEventListener("eip6963:announceProvider", note);
    dispatchEvent(new Event("eip6963:requestProvider"));
    return () => removeEventListener("eip6963:announceProvider", note);
  }, []);
  return network.devnet === true ? [devnetWallet(network.id), ...announced] : announced;
}

/** The funded accounts of a devnet, as a wallet that never asks for consent. */
function devnetWallet(network: string): Wallet {
  const provider: Provider = {
    request: async ({ method, params = [] }) => {
      const response = await fetch(`/${encodeURIComponent(network)}/wallet`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const answer = (await response.json()) as {
        readonly result?: unknown;
        readonly error?: { readonly code: number; readonly message: string };
        readonly detail?: string;
      };
      if (answer.error !== undefined)
        throw Object.assign(new Error(answer.error.message), answer.error);
      if (!response.ok) throw new Error(answer.detail ?? `The devnet answered ${response.status}`);
      return answer.result;
    },
  };
  return { id: "devnet", name: "Devnet wallet", provider };
}

/** Codes of EIP-1193 and EIP-3085. */
const REJECTED = 4001;
const UNKNOWN_CHAIN = 4902;
/** Some wallets put the whole call into their message. */
const MESSAGE_LENGTH_MAX = 300;

/** Messages for reverts, by error selectors of the executor and the Universal Router. */
const REVERTS: ReadonlyArray<readonly [selectors: RegExp, words: string]> = [
  [
    /0x(a0d7601a|df9bcb05|39d35496|849eaf98|739dbe52|8ab0bc16|675cae38|6a12f104)/u,
    "The price has moved beyond the slippage: go back and look at it anew.",
  ],
  [/0x(70f65caa|5bf6f916)/u, "It was good until a time that is over: go back."],
  [/0x39f1c8d9/u, "A token refused to be moved: does the account hold enough of it?"],
];

/** The reason of a wallet's failure, in words. */
export function walletFailure(cause: unknown): string {
  const { code, message, data } = Object(cause) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly data?: unknown;
  };
  if (code === REJECTED) return "You rejected it in the wallet.";
  if (typeof message !== "string" || message === "") return "The wallet did not do it.";
  const told = REVERTS.find(([selectors]) => selectors.test(`${message} ${data}`));
  return told?.[1] ?? safeName(message, MESSAGE_LENGTH_MAX).text;
}

/** Switches a wallet to a network's chain; throws where it stays on another. */
export async function toChain(provider: Provider, network: NetworkEntry): Promise<void> {
  const chainId = `0x${network.chainId.toString(16)}`;
  const isThere = async () =>
    Number(await provider.request({ method: "eth_chainId" })) === network.chainId;
  if (await isThere()) return;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (cause) {
    const isUnknown = (Object(cause) as { readonly code?: unknown }).code === UNKNOWN_CHAIN;
    const { rpcUrl } = network;
    if (!isUnknown || rpcUrl === undefined) throw cause;
    const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
    const chain = { chainId, chainName: network.name, rpcUrls: [rpcUrl], nativeCurrency };
    await provider.request({ method: "wallet_addEthereumChain", params: [chain] });
  }
  if (!(await isThere())) throw new Error(`The wallet is on another chain than ${network.name}.`);
}
