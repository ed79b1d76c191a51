import { createHash } from "node:crypto";
import { REFERENCE_STYLE, type ReferenceExamples, referencePage } from "@millrace/api";
import type { PoolIndex, TokenIndex } from "@millrace/core";
import { SentText } from "../answers/SentText.ts";
import type { Network } from "../networks/Network.ts";

/**
 * The reference page of a service with this primary network. It is made at the start, since that
 * takes milliseconds that no request may take, and once more for the first request after the market
 * opened, with examples from the market.
 */
export function keptReference(network: Network): () => SentText {
  let page = SentText.of(referencePage());
  let isOfMarket = false;
  return () => {
    const examples = isOfMarket ? undefined : examplesOf(network);
    if (examples !== undefined) {
      page = SentText.of(referencePage(examples));
      isOfMarket = true;
    }
    return page;
  };
}

/** The page is self-contained: no other style applies, no script runs, and no page may frame it. */
export const REFERENCE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(REFERENCE_STYLE).digest("base64")}'`,
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join("; "),
};

/** Undefined before there is a pool. The token is an anchor, if the market has one. */
function examplesOf({ config, market }: Network): ReferenceExamples | undefined {
  const graph = market?.engine.graph;
  if (graph === undefined || graph.poolCount === 0) return undefined;
  const wrapped = config.wrappedNative?.toLowerCase();
  const anchors = config.anchors.map(({ address }) => address.toLowerCase());
  const first = [0, 1].map((token) => graph.tokenAddress(token as TokenIndex) as string);
  const token = [...anchors, ...first].find(
    (address) => address !== wrapped && graph.findToken(address) !== undefined,
  );
  if (token === undefined) return undefined;
  const pool = 0 as PoolIndex;
  return { network: config.id, token, pool: graph.poolId(pool) ?? graph.poolAddress(pool) };
}
