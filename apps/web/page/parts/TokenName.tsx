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

/** A token's symbol as text that deceives nobody; the whole name and address are its title. */
export function TokenSymbol({ token }: { readonly token: Named | undefined }) {
  // Tables have hundreds of them, which stay while amounts change. Words are kept, not an element:
  // that would hold on to the whole view as it was when it was first drawn.
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

/** A token, linked to its view, and whether it is one to beware of. */
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

/** An address in short, which can be copied whole. */
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
