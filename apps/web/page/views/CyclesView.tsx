import type { CycleJson } from "@millrace/api";
import { useState } from "preact/hooks";
import type { ViewProps } from "../App.tsx";
import { amountText, numberText, sumText, wholeUnits } from "../format.ts";
import { goTo, pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Arrow } from "../parts/Arrow.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Table } from "../parts/Table.tsx";
import { TokenSymbol } from "../parts/TokenName.tsx";
import { TokenPicker } from "../parts/TokenPicker.tsx";
import { client, useRequest, useUpdates } from "../service.ts";
import { type KnownToken, useTokens } from "../tokens.ts";

const ROWS = 20;
const REFRESH_MS = 2_000;
const HOPS = [2, 3, 4];
const HOPS_DEFAULT = 3;

/** Profitable cycles of a token, by default the wrapped native one. */
export function CyclesView({ place: { query } }: ViewProps) {
  const network = useNetwork();
  const token = query.get("token") ?? network.wrappedNative ?? "";
  const wanted = Number(query.get("maxHops"));
  const maxHops = HOPS.includes(wanted) ? wanted : HOPS_DEFAULT;
  const show = (changed: Readonly<Record<string, string>>) =>
    goTo(pathTo(network.id, "cycles", "", { ...Object.fromEntries(query), ...changed }), true);
  return (
    <>
      <h1>Cycles of {network.name}</h1>
      <p class="quiet">
        Round trips from a token back to itself that end with more than they began with, each by
        itself and exact in its block. Gas is not counted.
      </p>
      <form class="quoteForm" onSubmit={(event) => event.preventDefault()}>
        <TokenPicker label="Token" address={token} onPick={(picked) => show({ token: picked })} />
        <label>
          Pools of a cycle
          <select
            value={String(maxHops)}
            onChange={({ currentTarget }) => show({ maxHops: currentTarget.value })}
          >
            {HOPS.map((hops) => (
              <option key={hops} value={String(hops)}>
                up to {hops}
              </option>
            ))}
          </select>
        </label>
      </form>
      {token === "" ? (
        <Notice>Pick a token: the network has no wrapped native one.</Notice>
      ) : (
        <FoundCycles key={token} address={token} maxHops={maxHops} />
      )}
    </>
  );
}

function FoundCycles({ address, maxHops }: { readonly address: string; readonly maxHops: number }) {
  const network = useNetwork();
  const { data, failure } = useRequest(
    `${network.id} ${address} ${maxHops}`,
    () =>
      client.http.swap.cycles({
        params: { network: network.id },
        query: { token: address as never, maxHops, limit: ROWS },
      }),
    REFRESH_MS,
  );
  const [price, setPrice] = useState(0);
  useUpdates(
    `${network.id} ${address}`,
    () => client.price(network.id, address),
    (streamed) => setPrice(streamed.price),
  );
  const cycles = data?.result ?? [];
  const passed = cycles.flatMap(({ steps }) => steps.map(({ tokenIn }) => tokenIn));
  const tokens = useTokens(network.id, [address, ...passed]);
  return (
    <>
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
      {data === undefined && failure === undefined && <Notice>Looking for cycles…</Notice>}
      {data !== undefined && cycles.length === 0 && (
        <Notice kind="none">
          No cycle of at most {maxHops} pools profits in the newest block.
        </Notice>
      )}
      {cycles.length > 0 && (
        <CycleTable
          cycles={cycles}
          token={tokens.get(address.toLowerCase())}
          tokens={tokens}
          price={price}
        />
      )}
    </>
  );
}

function CycleTable({
  cycles,
  token,
  tokens,
  price,
}: {
  readonly cycles: ReadonlyArray<CycleJson>;
  readonly token: KnownToken | undefined;
  readonly tokens: ReadonlyMap<string, KnownToken>;
  /** US dollars of the token; 0 while it is unknown. */
  readonly price: number;
}) {
  const amount = (units: string) => (
    <>
      {token === undefined ? "…" : amountText(units, token.decimals)} <TokenSymbol token={token} />
    </>
  );
  const dollars = (units: string) =>
    token === undefined || price === 0
      ? "–"
      : sumText(Number(wholeUnits(units, token.decimals)) * price);
  return (
    <Table
      caption="Cycles"
      rows={cycles}
      keyOf={({ steps }) => steps.map(({ pool, tokenOut }) => `${pool} ${tokenOut}`).join()}
      columns={[
        { title: "Profit", isNumber: true, cell: ({ profit }) => amount(profit) },
        { title: "In dollars", isNumber: true, cell: ({ profit }) => dollars(profit) },
        { title: "Path", cell: ({ steps }) => <Path steps={steps} tokens={tokens} /> },
        { title: "Amount in", isNumber: true, cell: ({ amountIn }) => amount(amountIn) },
        {
          title: "Gas, about",
          isNumber: true,
          cell: ({ gasEstimate }) => numberText(Number(gasEstimate)),
        },
        { title: "Block", isNumber: true, cell: ({ blockNumber }) => blockNumber },
      ]}
    />
  );
}

/** As `WETH UNISWAP_V3 → USDC SUSHISWAP → WETH`: each DEX between two tokens links to its pool. */
function Path({
  steps,
  tokens,
}: {
  readonly steps: CycleJson["steps"];
  readonly tokens: ReadonlyMap<string, KnownToken>;
}) {
  const network = useNetwork();
  const symbol = (address: string) => <TokenSymbol token={tokens.get(address.toLowerCase())} />;
  return (
    <>
      {steps.map(({ pool, dexId, tokenIn }) => (
        <span key={pool}>
          {symbol(tokenIn)} <a href={pathTo(network.id, "pools", pool)}>{dexId}</a> <Arrow />{" "}
        </span>
      ))}
      {symbol(steps[0]!.tokenIn)}
    </>
  );
}
