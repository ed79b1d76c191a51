import { setPriority } from "node:os";
import { Client } from "@millrace/client";

// The subscriptions of open pages, without the pages: two in five show a quote, of one of ten
// amounts, the others the list of tokens or one token. Takes the service's URL and the number of
// pages; ends with a message. Browsers run on machines of their own, so this process has the least
// priority on this one.

const NETWORK = "ETH";
const AMOUNTS = 10;
const LADDER = [1n, 3n, 10n, 30n, 100n, 300n, 1_000n, 3_000n];
const ETHER = 10n ** 18n;

setPriority(19);
const [url = "", pages = ""] = process.argv.slice(2);
const answer = await fetch(`${url}/tokens?limit=50`);
const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ address: string }> };
const tokens = data.map(({ address }) => address);
const clients = Array.from({ length: Number(pages) }, (_, page) => {
  const client = new Client(url);
  for (const updates of viewOf(client, page)) void readAll(updates);
  return client;
});
process.on("message", async () => {
  await Promise.all(clients.map((client) => client.close()));
  process.disconnect();
});

function viewOf(client: Client, page: number): ReadonlyArray<AsyncIterable<unknown>> {
  const token = tokens[page % tokens.length]!;
  switch (page % 5) {
    case 0:
    case 1: {
      const [tokenA, tokenB] = tokens as [string, string];
      const amountIn = String(BigInt(1 + (page % AMOUNTS)) * ETHER);
      const request = { tokenA, tokenB, maxHops: 3, maxSplits: 8, certify: true, explain: true };
      const ladder = LADDER.map((part) => String((part * BigInt(amountIn)) / 100n));
      return [
        client.quotes(NETWORK, { ...request, amountIn }),
        client.ladder(NETWORK, { tokenA, tokenB, maxHops: 3 }, ladder),
        client.networkState(NETWORK),
      ];
    }
    case 2:
    case 3:
      return [client.prices(NETWORK, tokens)];
    default:
      return [
        client.price(NETWORK, token),
        client.trades(NETWORK, { token }),
        client.candles(NETWORK, { token }, "1m"),
      ];
  }
}

async function readAll(updates: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of updates);
}
