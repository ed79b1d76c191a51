import { amountText } from "../format.ts";
import type { KnownToken } from "../tokens.ts";
import { TokenSymbol } from "./TokenName.tsx";

/** An amount in whole tokens with their symbol; dots while the token is not known yet. */
export function TokenAmount({
  token,
  units,
}: {
  readonly token: KnownToken | undefined;
  /** In smallest units. */
  readonly units: string;
}) {
  return (
    <>
      {token === undefined ? "…" : amountText(units, token.decimals)} <TokenSymbol token={token} />
    </>
  );
}
