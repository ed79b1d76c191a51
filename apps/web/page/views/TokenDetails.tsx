import { useState } from "preact/hooks";
import { numberText, priceText, sumText } from "../format.ts";
import { pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { CandlePart } from "../parts/CandlePart.tsx";
import { Change } from "../parts/Change.tsx";
import { Fields } from "../parts/Fields.tsx";
import { Live } from "../parts/Live.tsx";
import { Notice } from "../parts/Notice.tsx";
import { AddressText, TokenSymbol } from "../parts/TokenName.tsx";
import { TradeTable } from "../parts/TradeTable.tsx";
import { safeName } from "../safeName.ts";
import { client, useRequest, useUpdates } from "../service.ts";
import { useTokens } from "../tokens.ts";
import { PoolTable } from "./PoolTable.tsx";

const REFRESH_MS = 30_000;

/** One token: its price as it moves, candles, where the price comes from, its pools. */
export function TokenDetails({ address }: { readonly address: string }) {
  const network = useNetwork();
  const { chainId } = network;
  const params = { address: address as never };
  const { data, failure } = useRequest(
    `${network.id} ${address}`,
    () => client.http.market.token({ params, query: { chainId } }),
    REFRESH_MS,
  );
  const [streamed, setStreamed] = useState<{
    readonly price: number;
    readonly liquidity: number;
  }>();
  useUpdates(`${network.id} ${address}`, () => client.price(network.id, address), setStreamed);
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  if (data === undefined) return <Notice>Loading…</Notice>;
  const token = data.data;
  const price = streamed?.price ?? token.price;
  return (
    <>
      <h1>
        <TokenSymbol token={token} />{" "}
        <bdi class="quiet" dir="auto">
          {safeName(token.name).text}
        </bdi>
      </h1>
      <p class="answer">
        <Live value={price} text={priceText(price)} />
      </p>
      <p>
        <a href={pathTo(network.id, "quote", "", { tokenIn: token.address })}>Quote from it</a>
        {" · "}
        <a href={pathTo(network.id, "quote", "", { tokenOut: token.address })}>Quote to it</a>
      </p>
      <Fields
        fields={[
          ["Address", <AddressText key="address" address={token.address} />],
          ["Decimals", String(token.decimals)],
          [
            "Changed in 5 min, 1 h, 6 h, 24 h",
            <ChangeList
              key="changes"
              changes={[
                ...[token.priceChange5m, token.priceChange1h],
                ...[token.priceChange6h, token.priceChange24h],
              ]}
            />,
          ],
          ["Liquidity", sumText(streamed?.liquidity ?? token.liquidity)],
          ["Volume 24 h", sumText(token.volume24h)],
          ["Trades 24 h", `${token.txns24h}: bought ${token.buys24h}, sold ${token.sells24h}`],
          ["Market cap", sumText(token.marketCap)],
          ["Fully diluted", sumText(token.fullyDilutedValuation)],
          ["DEXes", token.dexes.join(", ")],
        ]}
      />
      <h2>Price</h2>
      <CandlePart subject={{ kind: "token", address: token.address }} />
      <Provenance address={token.address} />
      <h2>Trades</h2>
      <TradeTable subject={{ kind: "token", address: token.address }} />
      <h2>Pools</h2>
      <TokenPools address={token.address} />
    </>
  );
}

function ChangeList({ changes }: { readonly changes: ReadonlyArray<number | undefined> }) {
  return (
    <>
      {changes.map((change, at) => (
        // They have no other names than their places.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
        <span key={at}>
          {at > 0 && ", "}
          <Change fraction={change} />
        </span>
      ))}
    </>
  );
}

/** Where the price comes from: the tokens and pools between it and an anchor. */
function Provenance({ address }: { readonly address: string }) {
  const network = useNetwork();
  const { data } = useRequest(
    `${network.id} ${address}`,
    () =>
      client.http.market.tokenPrice({
        params: { address: address as never },
        query: { chainId: network.chainId },
      }),
    REFRESH_MS,
  );
  const path = data?.data.path ?? [];
  const tokens = useTokens(network.id, path);
  if (data === undefined) return null;
  const { anchor, confidence, depthUsd, pools } = data.data;
  return (
    <section aria-labelledby="provenance">
      <h2 id="provenance">Where the price comes from</h2>
      {anchor === null ? (
        <p>No pool that is deep enough leads to a token whose price is known.</p>
      ) : (
        <>
          <p>
            {path.map((step, at) => (
              <span key={step}>
                {at > 0 && (
                  <a href={pathTo(network.id, "pools", pools[at - 1]!)} aria-label="by this pool">
                    {" → "}
                  </a>
                )}
                <TokenSymbol token={tokens.get(step)} />
              </span>
            ))}
          </p>
          <Fields
            fields={[
              ["Confidence, 0 to 1", numberText(confidence)],
              ["Moved by 2 % with", depthUsd > 0 ? sumText(depthUsd) : "nothing: it is an anchor"],
            ]}
          />
        </>
      )}
    </section>
  );
}

function TokenPools({ address }: { readonly address: string }) {
  const network = useNetwork();
  const { data, failure } = useRequest(
    `${network.id} ${address}`,
    () =>
      client.http.market.pools({
        query: {
          ...{ chainId: network.chainId, page: 1, limit: 20, sort: "-liquidityUsd" },
          token: address as never,
        },
      }),
    REFRESH_MS,
  );
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  return data === undefined ? <Notice>Loading…</Notice> : <PoolTable pools={data.data} />;
}
