import { Api } from "@millrace/api";
import { Effect } from "effect";
import { FetchHttpClient } from "effect/http";
import { HttpApiClient } from "effect/http-api";
import { describe, expect, it } from "vitest";
import { recordedService, USDC, WETH } from "../kit/service.ts";

const service = recordedService();

const connect = () => HttpApiClient.make(Api, { baseUrl: service.url });
type Client = Effect.Success<ReturnType<typeof connect>>;

/** Runs a call of the client that is derived from the API's definition. */
const call = <A, E>(use: (client: Client) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    connect().pipe(
      Effect.flatMap(use),
      Effect.provide(FetchHttpClient.layer),
      // The default keeps the `fetch` of its first use, which may be another test's.
      Effect.provideService(FetchHttpClient.Fetch, globalThis.fetch),
    ),
  );

const NOWHERE = `0x${"1".repeat(40)}`;
const network = "ETH";

describe("the client that comes from the definition", () => {
  it("reads every kind of answer", async () => {
    const quote = await call((client) =>
      client.swap.quote({
        params: { network },
        payload: {
          tokenA: WETH,
          tokenB: USDC,
          amountIn: "1000000000000",
          dexId: "ALL",
          maxHops: 3,
          maxSplits: 1,
        },
      }),
    );
    expect(BigInt(quote.amountOut)).toBeGreaterThan(0n);
    const tokens = await call((client) =>
      client.market.tokens({ query: { page: 2, limit: 3, sort: "-price" } }),
    );
    expect(tokens.pagination).toMatchObject({ page: 2, limit: 3 });
    const entries = await call((client) =>
      client.swap.tokenListWithDetails({ params: { network } }),
    );
    expect(entries.result.length).toBeGreaterThan(1_000);
    expect((await call((client) => client.operations.ready())).ready).toBe(true);
    expect(await call((client) => client.operations.metrics())).toContain("millrace_head_block");
  });

  it("sends a whole quote back, for its transactions", async () => {
    const request = { amountIn: "1000000000000", dexId: "UNISWAP_V3", maxHops: 3, maxSplits: 1 };
    const quote = await call((client) =>
      client.swap.quote({
        params: { network },
        payload: { tokenA: WETH, tokenB: USDC, ...request, gasPriceWei: "0" },
      }),
    );
    const payload = { publicKey: `0x${"7".repeat(40)}`, quote, slippage: 0.5 };
    const { transactions } = await call((client) =>
      client.swap.swap({ params: { network }, payload }),
    );
    expect(transactions).toHaveLength(3);
    const permit = await call((client) => client.swap.permit({ params: { network }, payload }));
    expect(permit).toMatchObject({ kind: "NONE", spender: transactions[2]!.to });
    const moved = { ...payload, quote: { ...quote, amountOut: "1".repeat(40) } };
    expect(
      await call((client) =>
        Effect.flip(client.swap.swap({ params: { network }, payload: moved })),
      ),
    ).toMatchObject({ code: "PRICE_MOVED", status: 409 });
  });

  it("reads failures into their classes, with their fields", async () => {
    const payload = { tokenA: WETH, amountIn: "1", dexId: "ALL", maxHops: 3, maxSplits: 1 };
    const failure = (tokenB: string, change: object) =>
      call((client) =>
        Effect.flip(
          client.swap.quote({ params: { network }, payload: { ...payload, tokenB, ...change } }),
        ),
      );
    expect(await failure(NOWHERE, {})).toMatchObject({ code: "UNKNOWN_TOKEN", status: 404 });
    expect(await failure(USDC, {})).toMatchObject({ code: "AMOUNT_TOO_SMALL", status: 422 });
    expect(await failure(USDC, { dexId: "NONE" })).toMatchObject({ code: "UNKNOWN_DEX" });
    const missing = await call((client) =>
      Effect.flip(client.market.token({ params: { address: NOWHERE }, query: {} })),
    );
    expect(missing).toMatchObject({ success: false, error: [{ code: "not_found" }] });
  });
});
