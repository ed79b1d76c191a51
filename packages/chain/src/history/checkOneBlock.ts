import type { Hex } from "@millrace/protocols";
import { Effect, Random } from "effect";
import type { BlockLogs } from "../follow/BlockLogs.ts";
import { headerByNumber } from "../follow/Header.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import type { ReadRange } from "./readRange.ts";

/**
 * Nothing in the logs of a range proves that none is missing: some nodes silently leave logs out.
 * For one block of the range, which no node can foresee, the logs are compared with those fetched
 * by hash, proved like those of the head. Fails with BadData where they differ.
 */
export const checkOneBlock = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  blockLogs: BlockLogs,
  topics: ReadonlySet<Hex>,
  { first, last, logs }: ReadRange,
): Effect.fn.Return<void, RpcError> {
  const number = yield* Random.nextIntBetween(first.number, last.number);
  const header = yield* headerByNumber(endpoint, number);
  const proved = (yield* blockLogs(endpoint, header)).filter(({ topics: [topic] }) =>
    topics.has(topic!),
  );
  const listed = logs.filter(({ blockNumber }) => blockNumber === number);
  const isSame =
    listed.length === proved.length &&
    listed.every(({ log, blockHash }, index) => {
      const { address, logIndex, data } = proved[index]!;
      const isLog = log.address === address && log.logIndex === logIndex && log.data === data;
      return isLog && blockHash === header.hash;
    });
  if (isSame) return;
  const detail = `${listed.length} logs of block ${number} in a range, by its hash ${proved.length}`;
  return yield* badData(endpoint, "eth_getLogs", detail);
});
