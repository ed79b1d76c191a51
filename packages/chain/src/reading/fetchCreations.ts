import type { FollowedDex } from "@millrace/protocols";
import { Effect } from "effect";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, RpcError } from "../rpc/RpcError.ts";
import { decodeLogs } from "./decodeLogs.ts";
import { readHex, readSafeInteger, writeQuantity } from "./hex.ts";
import { rangeProblem } from "./rangeProblem.ts";

/** Some nodes silently cut longer answers here: a range with this many logs is too long. */
export const LOG_COUNT_MAX = 10_000;

/**
 * The logs in a range of blocks by which the DEXes' factories announce new pools, in the order of
 * the chain. They come from one endpoint, which must have the same last block before and after:
 * behind a balancer, a node that lags answers a range with an empty list.
 */
export const fetchCreations = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  followed: ReadonlyArray<FollowedDex>,
  fromBlock: number,
  toBlock: number,
) {
  // Without a topic, any log would match.
  const telling = followed.filter(({ creationTopics }) => creationTopics.length > 0);
  const addresses = [...new Set(telling.map(({ dex }) => dex.factory))];
  const topics = [...new Set(followed.flatMap(({ creationTopics }) => creationTopics))];
  const { hash: before } = yield* blockAt(endpoint, toBlock);
  const { parentHash } = yield* blockAt(endpoint, fromBlock);
  const filter = {
    fromBlock: writeQuantity(fromBlock),
    toBlock: writeQuantity(toBlock),
    address: addresses,
    topics: [topics],
  };
  // An empty list of addresses would match any address.
  const raw = addresses.length === 0 ? [] : yield* endpoint.request("eth_getLogs", [filter]);
  const logs = decodeLogs(raw);
  if (typeof logs === "string") return yield* badData(endpoint, "eth_getLogs", logs);
  if (logs.length >= LOG_COUNT_MAX && toBlock > fromBlock) {
    const detail = `${logs.length} logs in ${toBlock - fromBlock + 1} blocks`;
    const { name } = endpoint;
    return yield* new RpcError({
      endpoint: name,
      method: "eth_getLogs",
      reason: "TooLarge",
      detail,
    });
  }
  const asked = { addresses: new Set(addresses), topics: new Set(topics) };
  const problem = rangeProblem(logs, { fromBlock, toBlock, toHash: before, ...asked });
  if (problem !== undefined) return yield* badData(endpoint, "eth_getLogs", problem);
  const { hash: after } = yield* blockAt(endpoint, toBlock);
  if (after !== before)
    return yield* badData(endpoint, "eth_getLogs", `block ${toBlock} changed meanwhile`);
  return { logs, parentHash, toHash: after };
});

/** A block; fails when the endpoint does not know it. */
const blockAt = Effect.fnUntraced(function* (endpoint: Endpoint, number: number) {
  const method = "eth_getBlockByNumber";
  const raw = yield* endpoint.request(method, [writeQuantity(number), false]);
  const fail = (detail: string) => badData(endpoint, method, detail);
  if (raw === null || raw === undefined) return yield* fail(`block ${number} is not known`);
  const block = raw as Readonly<Record<string, unknown>>;
  if (readSafeInteger(block["number"]) !== number) return yield* fail(`not block ${number}`);
  const hash = readHex(block["hash"], 32);
  const parentHash = readHex(block["parentHash"], 32);
  if (hash !== undefined && parentHash !== undefined) return { hash, parentHash };
  return yield* fail(`block ${number} without a hash`);
});
