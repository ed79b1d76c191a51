import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOn } from "../kit/networkOn.ts";
import { type Service, startConfigured } from "../kit/service.ts";
import {
  allTrades,
  caughtUp,
  startTradedChain,
  type TradedChain,
  trade,
  tradesOf,
} from "../kit/tradedChain.ts";

let traded: TradedChain;
let service: Service;
beforeAll(async () => {
  traded = await startTradedChain();
  await trade(traded, 6);
  service = await startConfigured({ networks: [networkOn(traded.chain.devnet)] });
  await caughtUp(traded, service);
});
afterAll(async () => {
  await service?.stop();
  await traded?.stop();
});

type ListedTrade = Awaited<ReturnType<typeof tradesOf>>[number];

const position = ({ blockNumber, logIndex }: ListedTrade): number =>
  1e6 * Number(blockNumber) + logIndex;

describe("trades", () => {
  it("of a pool are seen from the base that is asked for, at what was paid", async () => {
    const decimals = new Map<string, number>(
      traded.chain.devnet.tokens.map((token) => [token.address, token.decimals]),
    );
    const whole = (amount: string, token: string) => Number(amount) / 10 ** decimals.get(token)!;
    for (const { address, token0, token1 } of traded.chain.devnet.pools) {
      const trades = await tradesOf(service, address);
      const { json } = await service.get(`/pools/${address}/trades?base=${token1}&limit=500`);
      expect(json.data.length).toBe(trades.length);
      for (const [at, { tokenIn, amountIn, amountOut, side, price }] of trades.entries()) {
        const reversed = json.data[at];
        expect([side, reversed.side]).toEqual(
          tokenIn === token0 ? ["sell", "buy"] : ["buy", "sell"],
        );
        const paid =
          tokenIn === token0
            ? whole(amountOut, token1) / whole(amountIn, token0)
            : whole(amountIn, token1) / whole(amountOut, token0);
        expect(Math.abs(price / paid - 1)).toBeLessThan(1e-9);
        expect(Math.abs(reversed.price * paid - 1)).toBeLessThan(1e-9);
      }
    }
  });

  it("of a token are those of its pools, the newest first, seen from the token", async () => {
    const { pools, tokens } = traded.chain.devnet;
    const trades = await Promise.all(pools.map(({ address }) => tradesOf(service, address)));
    let turned = 0;
    for (const { address } of tokens) {
      const expected = trades
        .flat()
        .filter(({ tokenIn, tokenOut }) => tokenIn === address || tokenOut === address)
        .sort((a, b) => position(b) - position(a));
      const found = await allTrades(service, `/tokens/${address}`);
      expect(found.map(withoutSide)).toEqual(expected.map(withoutSide));
      for (const [at, { side, price, tokenOut }] of found.entries()) {
        expect(side).toBe(tokenOut === address ? "buy" : "sell");
        const ofPool = expected[at]!;
        if (side === ofPool.side) expect(price).toBe(ofPool.price);
        else {
          expect(price * ofPool.price).toBeCloseTo(1, 9);
          turned++;
        }
      }
    }
    expect(turned).toBeGreaterThan(0);
  });
});

const withoutSide = ({ side: _, price: __, ...rest }: ListedTrade) => rest;
