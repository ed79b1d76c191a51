import type { TokenSafety } from "@millrace/api";
import { useMemo } from "preact/hooks";
import { shortAddress } from "../format.ts";
import { pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { safeName } from "../safeName.ts";
import { SafetyBadge } from "./Safety.tsx";

interface Named {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
}

const SYMBOL_LENGTH_MAX = 16;

/** A token's symbol without deceptive characters; its title has the whole name and the address. */
export function TokenSymbol({ token }: { readonly token: Named | undefined }) {
  // Tables have hundreds of symbols, which stay while amounts change. The memo keeps words, not an
  // element: an element would keep the whole view of the first render alive.
  const shown = useMemo(
    () => token && symbolOf(token),
    [token?.address, token?.symbol, token?.name],
  );
  if (shown === undefined) return <span class="quiet">…</span>;
  const { text, title, warning } = shown;
  return (
    <bdi class="symbol" title={title}>
      {text}
      {warning !== undefined && <abbr title={warning}>!</abbr>}
    </bdi>
  );
}

function symbolOf({ address, name, symbol }: Named) {
  const { text, warning } = safeName(symbol, SYMBOL_LENGTH_MAX);
  const title = [safeName(name).text, address, warning].filter(Boolean).join("\n");
  return { text, title, warning };
}

/** A token with a link to its view, and a badge if the token is dangerous. */
export function TokenLink({
  token,
}: {
  readonly token: Named & { readonly safety?: typeof TokenSafety.Type };
}) {
  const network = useNetwork();
  return (
    <a class="token" href={pathTo(network.id, "tokens", token.address)}>
      <TokenSymbol token={token} />{" "}
      <bdi class="name quiet" dir="auto">
        {safeName(token.name).text}
      </bdi>{" "}
      <SafetyBadge safety={token.safety} />
    </a>
  );
}

/** A shortened address; a click copies the whole one. */
export function AddressText({ address }: { readonly address: string }) {
  return (
    <button
      type="button"
      class="address"
      title={`Copy ${address}`}
      onClick={() => void navigator.clipboard?.writeText(address)}
    >
      {shortAddress(address)}
    </button>
  );
}
