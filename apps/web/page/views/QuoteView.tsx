import type { SwapQuote } from "@millrace/api";
import {
  isProblem,
  type QuoteOrProblem,
  type QuoteParameters,
  type StreamedNetwork,
} from "@millrace/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ViewProps } from "../App.tsx";
import { amountText, basisPointText, changeText, numberText, timeText } from "../format.ts";
import { goTo, pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { Arrow } from "../parts/Arrow.tsx";
import { Fields } from "../parts/Fields.tsx";
import { Live } from "../parts/Live.tsx";
import { lazyPart } from "../parts/lazyPart.tsx";
import { Notice } from "../parts/Notice.tsx";
import { TokenSymbol } from "../parts/TokenName.tsx";
import { TokenPicker } from "../parts/TokenPicker.tsx";
import { useIsNear } from "../parts/useIsNear.ts";
import { formOf, type QuoteForm, queryOf, requestOf } from "../quote/quoteParameters.ts";
import { RouteDrawing } from "../quote/RouteDrawing.tsx";
import { StepTable } from "../quote/StepTable.tsx";
import { Waterfall } from "../quote/Waterfall.tsx";
import { client, useIdleValue, useRequest, useUpdates } from "../service.ts";
import { type KnownToken, remember, useTokens } from "../tokens.ts";

const SwapPanel = lazyPart(async () => (await import("../wallet/SwapPanel.tsx")).SwapPanel);
const LadderChart = lazyPart(async () => (await import("../quote/LadderChart.tsx")).LadderChart);

/** A bound further away says nothing about a quote. */
const FAR_BPS = 1_000;

interface Shown {
  readonly answer: QuoteOrProblem;
  readonly blockNumber: string;
  readonly timestamp: number;
}

/** A quote that follows each block, with its route and costs. */
export function QuoteView({ place }: ViewProps) {
  const network = useNetwork();
  const form = formOf(place.query);
  const change = (changed: Partial<QuoteForm>) =>
    goTo(pathTo(network.id, "quote", "", queryOf({ ...form, ...changed })), true);
  useFirstTokens(form, change);
  const named = [form.tokenIn, form.tokenOut].filter((address) => address !== "");
  const tokens = useTokens(network.id, named);
  const request = requestOf(form, tokens);
  return (
    <>
      <h1>Quote</h1>
      <QuoteFields form={form} change={change} />
      {typeof request === "string" ? (
        <Notice>{request}</Notice>
      ) : (
        <StreamedQuote key={JSON.stringify(request)} request={request} />
      )}
    </>
  );
}

/** Without tokens in the address, shows a quote of the two most liquid tokens at once. */
function useFirstTokens(form: QuoteForm, change: (changed: Partial<QuoteForm>) => void): void {
  const network = useNetwork();
  const isEmpty = form.tokenIn === "" && form.tokenOut === "";
  const { data } = useRequest(isEmpty ? network.id : undefined, () =>
    client.http.market.tokens({
      query: { chainId: network.chainId, page: 1, limit: 2, sort: "-liquidity" },
    }),
  );
  const [first, second] = data?.data ?? [];
  useEffect(() => {
    if (!isEmpty || first === undefined || second === undefined) return;
    for (const token of [first, second]) {
      remember(network.id, { ...token, contractAddress: token.address });
    }
    change({ tokenIn: first.address, tokenOut: second.address, amount: form.amount || "1" });
  }, [isEmpty, first, second]);
}

function QuoteFields({
  form,
  change,
}: {
  readonly form: QuoteForm;
  readonly change: (changed: Partial<QuoteForm>) => void;
}) {
  const swapTokens = () => change({ tokenIn: form.tokenOut, tokenOut: form.tokenIn });
  return (
    <form class="quoteForm" onSubmit={(event) => event.preventDefault()}>
      <TokenPicker label="From" address={form.tokenIn} onPick={(tokenIn) => change({ tokenIn })} />
      <button type="button" class="turn" aria-label="Exchange the tokens" onClick={swapTokens}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1 5H14M10 1l4 4-4 4M15 11H2M6 7l-4 4 4 4" />
        </svg>
      </button>
      <TokenPicker label="To" address={form.tokenOut} onPick={(tokenOut) => change({ tokenOut })} />
      <label>
        Amount
        <input
          inputMode="decimal"
          autocomplete="off"
          value={form.amount}
          onInput={({ currentTarget }) => change({ amount: currentTarget.value })}
        />
      </label>
      <label>
        Of
        <select
          value={form.isExactOut ? "out" : "in"}
          onChange={({ currentTarget }) => change({ isExactOut: currentTarget.value === "out" })}
        >
          <option value="in">what goes in</option>
          <option value="out">what comes out</option>
        </select>
      </label>
      <label>
        Paths
        <select
          value={String(form.maxSplits)}
          onChange={({ currentTarget }) => change({ maxSplits: Number(currentTarget.value) })}
        >
          {[1, 2, 4, 8, 16, 64].map((count) => (
            <option key={count} value={String(count)}>
              {count === 1 ? "1" : `up to ${count}`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Pools of a path
        <select
          value={String(form.maxHops)}
          onChange={({ currentTarget }) => change({ maxHops: Number(currentTarget.value) })}
        >
          {[1, 2, 3, 4].map((count) => (
            <option key={count} value={String(count)}>
              up to {count}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

function StreamedQuote({ request }: { readonly request: QuoteParameters }) {
  const network = useNetwork();
  const [shown, setShown] = useState<Shown>();
  const failure = useUpdates(
    network.id,
    () => client.quotes(network.id, request),
    (answer, stamp) =>
      setShown({ answer, blockNumber: stamp.blockNumber, timestamp: stamp.timestamp }),
  );
  if (failure !== undefined) return <Notice kind="failure">{failure}</Notice>;
  if (shown === undefined) return <Notice>Looking for the best route…</Notice>;
  const { answer, blockNumber, timestamp } = shown;
  return (
    <>
      <QuoteBlock blockNumber={blockNumber} timestamp={timestamp} />
      {isProblem(answer) ? (
        <Notice kind="warning">
          {answer.title}: {answer.detail}
        </Notice>
      ) : (
        <QuoteAnswer quote={answer} request={request} />
      )}
    </>
  );
}

/** The block of the quote; a block that does not change the quote brings no new one. */
function QuoteBlock({ blockNumber, timestamp }: Omit<Shown, "answer">) {
  const network = useNetwork();
  const [head, setHead] = useState<StreamedNetwork>();
  useUpdates(network.id, () => client.networkState(network.id), setHead);
  const isNewest = head === undefined || Number(head.blockNumber) <= Number(blockNumber);
  return (
    <p class="quiet" data-block={blockNumber}>
      {isNewest ? "Of" : "Last changed by"} block {blockNumber}, {timeText(timestamp)}
      {isNewest ? "" : `; the newest is ${head.blockNumber}`}. It follows the chain.
    </p>
  );
}

function QuoteAnswer({
  quote,
  request,
}: {
  readonly quote: SwapQuote;
  readonly request: QuoteParameters;
}) {
  const network = useNetwork();
  const passed = quote.routePlan.flatMap(({ tokenA, tokenB }) => [tokenA, tokenB]);
  const tokens = useTokens(network.id, [quote.tokenA, quote.tokenB, ...passed]);
  const [into, out] = [tokenIn(tokens, quote.tokenA), tokenIn(tokens, quote.tokenB)];
  const table = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(table);
  // A long table off the screen is not updated.
  const shown = useRef(quote);
  if (isNear) shown.current = quote;
  const tableQuote = useIdleValue(shown.current);
  // Memoised while both stay the same, so that the drawing of the route does not wait for the
  // table.
  const steps = useMemo(
    () => <StepTable quote={tableQuote} tokens={tokens} />,
    [tableQuote, tokens.size],
  );
  return (
    <>
      <p class="answer" data-amount-out={quote.amountOut}>
        {into && amountText(quote.amountIn, into.decimals)} <TokenSymbol token={into} /> <Arrow />{" "}
        <strong>
          {out && (
            <Live
              value={Number(quote.amountOut)}
              text={amountText(quote.amountOut, out.decimals)}
            />
          )}{" "}
          <TokenSymbol token={out} />
        </strong>
      </p>
      <Warnings quote={quote} tokens={tokens} />
      {quote.routePlan.length === 0 ? (
        <Notice>One is the other, wrapped or unwrapped: one for one, through no pool.</Notice>
      ) : (
        <RouteDrawing quote={quote} tokens={tokens} />
      )}
      <Facts quote={quote} into={into} out={out} />
      <SwapPanel quote={quote} into={into} out={out} />
      <Waterfall quote={quote} />
      <RunnerUp quote={quote} out={out} />
      <LadderChart quote={quote} request={request} into={into} out={out} />
      <div ref={table}>
        {quote.routePlan.length > 0 && (
          <>
            <h2>Steps</h2>
            {steps}
          </>
        )}
      </div>
    </>
  );
}

const tokenIn = (tokens: ReadonlyMap<string, KnownToken>, address: string) =>
  tokens.get(address.toLowerCase());

/** Warnings of tokens whose transfers are not plain, or may not be. */
function Warnings({
  quote: { unverified = [], warnings = [] },
  tokens,
}: {
  readonly quote: SwapQuote;
  readonly tokens: ReadonlyMap<string, KnownToken>;
}) {
  const warned = new Set(warnings.map(({ token }) => token));
  const untold = unverified.filter((token) => !warned.has(token));
  return (
    <>
      {warnings.map(({ token, detail }) => (
        <Notice key={token} kind="warning">
          <TokenSymbol token={tokenIn(tokens, token)} />: {detail}.
        </Notice>
      ))}
      {untold.length > 0 && (
        <Notice kind="warning">
          Not known to be plain tokens: {untold.join(", ")}. They may tax, rebase or refuse
          transfers.
        </Notice>
      )}
    </>
  );
}

function Facts({
  quote,
  into,
  out,
}: {
  readonly quote: SwapQuote;
  readonly into: KnownToken | undefined;
  readonly out: KnownToken | undefined;
}) {
  const { certificate } = quote;
  return (
    <Fields
      fields={[
        [
          "Price",
          <span key="price">
            {numberText(Number(quote.tokenPrice))} <TokenSymbol token={out} /> for one{" "}
            <TokenSymbol token={into} />
          </span>,
        ],
        ["Price impact", changeText(-quote.priceImpact)],
        ["Gas, about", numberText(Number(quote.gasEstimate))],
        [
          "Can be executed",
          quote.executable === undefined ? "unknown" : quote.executable ? "yes" : "no",
        ],
        [
          "From the best there can be",
          certificate === undefined || certificate.gapBps > FAR_BPS ? (
            "no close bound"
          ) : (
            <span
              title={`No routing over any number of paths of ${certificate.hops} pools is beyond ${certificate.bound}`}
            >
              at most {basisPointText(certificate.gapBps)}
            </span>
          ),
        ],
      ]}
    />
  );
}

function RunnerUp({
  quote,
  out,
}: {
  readonly quote: SwapQuote;
  readonly out: KnownToken | undefined;
}) {
  const runnerUp = quote.explanation?.runnerUp;
  if (runnerUp === undefined || out === undefined) return null;
  const isExactOut = quote.exactOutput === true;
  const [mine, other] = isExactOut
    ? [-Number(quote.amountIn), -Number(runnerUp.amountIn)]
    : [Number(quote.amountOut), Number(runnerUp.amountOut)];
  const worse = (10_000 * (mine - other)) / Math.abs(mine);
  const dexes = new Set(runnerUp.routePlan.map(({ dexId }) => dexId)).size;
  return (
    <p>
      The runner-up, by {counted(dexes, "DEX", "DEXes")} and{" "}
      {counted(runnerUp.routePlan.length, "pool", "pools")}, is {basisPointText(worse)} worse.
    </p>
  );
}

const counted = (count: number, one: string, more: string): string =>
  `${numberText(count)} ${count === 1 ? one : more}`;
