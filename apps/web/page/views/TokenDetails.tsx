import type { Token } from "@millrace/api";
import { useState } from "preact/hooks";
import type { ViewProps } from "../App.tsx";
import { numberText, priceText, sumText } from "../format.ts";
import { pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Arrow } from "../parts/Arrow.tsx";
import { CandlePart } from "../parts/CandlePart.tsx";
import { Change } from "../parts/Change.tsx";
import { Fields } from "../parts/Fields.tsx";
import { Live } from "../parts/Live.tsx";
import { Notice, Waiting } from "../parts/Notice.tsx";
import { SafetyNotice, safetyText } from "../parts/Safety.tsx";
import { AddressText, TokenSymbol } from "../parts/TokenName.tsx";
import { TradeTable } from "../parts/TradeTable.tsx";
import { safeName } from "../safeName.ts";
import { client, useRequest, useUpdates } from "../service.ts";
import { useTokens } from "../tokens.ts";
import { PoolTable } from "./PoolTable.tsx";

const REFRESH_MS = 30_000;

/** One token: live price, candles, the source of the price, pools. */
export function TokenDetails({ place }: ViewProps) {
  const address = place.subject;
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
  if (data === undefined) return <Waiting failure={failure} />;
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
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
      <SafetyNotice safety={token.safety} />
      <p class="answer">
        <Live value={price} text={priceText(price)} />
      </p>
      <Changes token={token} />
      <p>
        <a href={pathTo(network.id, "quote", "", { tokenIn: token.address })}>Quote from it</a>
        {" · "}
        <a href={pathTo(network.id, "quote", "", { tokenOut: token.address })}>Quote to it</a>
      </p>
      <Fields
        fields={[
          ["Address", <AddressText key="address" address={token.address} />],
          ["Decimals", String(token.decimals)],
          ["Liquidity", sumText(streamed?.liquidity ?? token.liquidity)],
          ["Volume 24 h", sumText(token.volume24h)],
          ["Trades 24 h", `${token.txns24h}: bought ${token.buys24h}, sold ${token.sells24h}`],
          ["Market cap", sumText(token.marketCap)],
          ["Fully diluted", sumText(token.fullyDilutedValuation)],
          ["Safety", safetyText(token.safety)],
        ]}
      />
      <p class="quiet">Traded on {token.dexes.join(", ")}.</p>
      <h2>Price</h2>
      <CandlePart subject={{ kind: "token", address: token.address }} place={place} />
      <Provenance address={token.address} />
      <h2>Trades</h2>
      <TradeTable key={token.address} subject={{ kind: "token", address: token.address }} />
      <h2>Pools</h2>
      <TokenPools address={token.address} />
    </>
  );
}

const SPANS = [
  ["5 min", "priceChange5m"],
  ["1 h", "priceChange1h"],
  ["6 h", "priceChange6h"],
  ["24 h", "priceChange24h"],
  ["7 d", "priceChange7d"],
  ["30 d", "priceChange30d"],
] as const;

/** Changes of the price over several spans. */
function Changes({ token }: { readonly token: typeof Token.Type }) {
  return (
    <dl class="changes" aria-label="Changes of the price">
      {SPANS.map(([span, field]) => (
        <div key={span}>
          <dt>{span}</dt>
          <dd>
            <Change fraction={token[field]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The source of the price: the tokens and pools between the token and an anchor. */
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
                    {" "}
                    <Arrow />{" "}
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
  return data === undefined ? <Waiting failure={failure} /> : <PoolTable pools={data.data} />;
}
