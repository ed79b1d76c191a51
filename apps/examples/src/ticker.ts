/**
 * Prices of the most liquid tokens of a running service, whenever a block changes them:
 *
 *     node apps/examples/src/ticker.ts http://127.0.0.1:8080 ETH
 */
import { Client } from "@millrace/client";
import { Effect } from "effect";

const [url = "http://127.0.0.1:8080", network = "ETH"] = process.argv.slice(2);
const client = new Client(url);
client.onState((state, reason) => console.error(state, reason ?? ""));

const listed = client.http.swap.tokenListWithDetails({ params: { network } });
const { result: tokens } = await Effect.runPromise(listed);
const symbols = new Map(
  tokens.slice(0, 10).map(({ address, symbol }) => [address.toLowerCase(), symbol]),
);

for await (const { data, blockNumber, reorg } of client.prices(network, [...symbols.keys()])) {
  const prices = data.map(({ token, price }) => `${symbols.get(token)} ${price.toPrecision(6)}`);
  console.log(`block ${blockNumber}${reorg ? " (reorganised)" : ""}: ${prices.join(", ")}`);
}
