import type { StreamedNetwork } from "@millrace/api";
import type { Parameters } from "./mixedSubscriptions.ts";
import { isOfBlocks, type StreamTruth, textOf } from "./StreamTruth.ts";
import type { StreamReader } from "./streamReader.ts";
import { wholeValues } from "./wholeValues.ts";

/** A subscription from its start to its end. */
export interface Stay {
  readonly parameters: Parameters;
  readonly reader: StreamReader;
  readonly name: string;
  /**
   * Hashes of blocks that stayed the newest, during the stay, until all of their changes were
   * published.
   */
  readonly restingBlocks: string[];
}

interface Quoted {
  readonly amountIn?: string;
  readonly amountOut?: string;
  readonly blockHash?: string;
}

/** All faults of a stay's messages; none if it got the truth once. */
export function judgeStay(truth: StreamTruth, { parameters, ...stay }: Stay): string[] {
  const told = stay.reader.told(stay.name);
  const faults: string[] = [];
  const fault = (what: string, at: number): void => {
    const { data, ...message } = told[at] ?? { data: undefined };
    const shown = JSON.stringify({ ...message, data: JSON.stringify(data)?.slice(0, 300) });
    faults.push(`${what}: message ${at} of ${JSON.stringify(parameters)}: ${shown}`);
  };
  const wholes = wholeValues(parameters, told);
  const places = told.map(({ blockHash }) => truth.place(blockHash));
  if (told[0]?.op !== "snapshot") fault("no snapshot first", 0);
  for (const [at, message] of told.entries()) {
    const block = truth.blocks[places[at]!];
    if (block === undefined || String(block.number) !== message.blockNumber) {
      fault("no such block", at);
      continue;
    }
    if (message.seq !== at) fault("seq has a hole", at);
    if (at > 0 && message.op !== "update") fault("no update", at);
    if (at > 0 && places[at]! < places[at - 1]!) fault("of an older block than the last", at);
    if (!isTrue(at)) fault("not what the block gives", at);
    if (parameters.channel === "quote" && !areAllOf(quotesOf(message.data), message.blockHash)) {
      fault("a quote of another block than its message", at);
    }
    if (at === 0) continue;
    if (textOf(parameters, wholes[at]) === textOf(parameters, wholes[at - 1])) fault("twice", at);
    if (!isFar(parameters, told[at - 1]!.data, message.data)) fault("too small a change", at);
    const isAfter =
      block.reorganisations > (truth.blocks[places[at - 1]!]?.reorganisations ?? Number.NaN);
    if ((message.op === "update" && message.reorg === true) !== isAfter) {
      fault(isAfter ? "no word of a reorganisation" : "no reorganisation", at);
    }
  }
  for (const hash of stay.restingBlocks) {
    const place = truth.place(hash);
    const newest = places.findLastIndex((of) => of <= place);
    if (newest < 0 || !isNewest(truth, parameters, wholes[newest], told[newest]!.blockHash, hash)) {
      fault(`missing: what ${hash} changed, after`, newest);
    }
  }
  if (isOfBlocks(parameters)) {
    // A network's readiness may change between blocks.
    const least = parameters.channel === "networks" ? 0 : 1;
    const gone = places.slice(1).findIndex((place, at) => {
      const step = place - places[at]!;
      return step < least || step > 1;
    });
    if (gone >= 0) fault("a block is missing before", gone + 1);
  }
  return faults;

  function isTrue(at: number): boolean {
    const { blockHash, data } = told[at]!;
    // No node gave the gas price in time.
    const { code } = data as { readonly code?: string };
    if (parameters["gasAware"] === true && code === "NOT_READY") return true;
    if (!isOfBlocks(parameters)) {
      return truth.values(parameters, blockHash).includes(textOf(parameters, wholes[at]));
    }
    const block = truth.blocks[truth.place(blockHash)]!;
    if (parameters.channel === "networks") {
      const { id, reorganisations, ...head } = data as typeof StreamedNetwork.Type;
      const isOfBlock = head.blockHash === block.hash && head.blockNumber === String(block.number);
      return id === "LOCAL" && isOfBlock && reorganisations === block.reorganisations;
    }
    const { blockHash: hash, poolsChanged } = data as { blockHash: string; poolsChanged: number };
    // The first block's changes were not counted.
    return hash === block.hash && (at === 0 || poolsChanged === block.poolsChanged);
  }
}

/** Whether the newest message of a stay covers everything of a block. */
export function isToldOf(truth: StreamTruth, { parameters, reader, name }: Stay, hash: string) {
  const told = reader.told(name);
  const newest = told.at(-1);
  if (newest === undefined) return false;
  return isNewest(truth, parameters, wholeValues(parameters, told).at(-1), newest.blockHash, hash);
}

/** Whether a message and a block's value differ by nothing worth an update. */
function isNewest(
  truth: StreamTruth,
  parameters: Parameters,
  told: unknown,
  toldHash: string,
  hash: string,
): boolean {
  if (isOfBlocks(parameters)) return toldHash === hash;
  const values = truth.values(parameters, hash);
  const text = textOf(parameters, told);
  if (parameters["gasAware"] === true) return values.includes(text);
  const last = values.at(-1)!;
  if (text === last) return true;
  return parameters["minChangeBps"] !== undefined && !isFar(parameters, told, JSON.parse(last));
}

/** Whether the sought amount moved by the threshold since the last message. */
function isFar(parameters: Parameters, before: unknown, after: unknown): boolean {
  const leastBps = parameters["minChangeBps"];
  if (leastBps === undefined) return true;
  const sought = parameters["amountOut"] === undefined ? "amountOut" : "amountIn";
  const news = quotesOf(after);
  // In hundredths of a basis point, exactly.
  const leastHundredths = BigInt(Math.round(Number(leastBps) * 100));
  return quotesOf(before).some((quote, at) => {
    const [one, other] = [quote[sought], news[at]?.[sought]];
    if (one === undefined || other === undefined) {
      return JSON.stringify(quote) !== JSON.stringify(news[at]);
    }
    const moved = BigInt(one) - BigInt(other);
    return (moved < 0n ? -moved : moved) * 1_000_000n >= leastHundredths * BigInt(one);
  });
}

const areAllOf = (quotes: ReadonlyArray<Quoted>, hash: string): boolean =>
  quotes.every(({ blockHash = hash }) => blockHash === hash);

/** The quotes in a value of a quote subscription, one for each size. */
const quotesOf = (data: unknown): ReadonlyArray<Quoted> =>
  (data as { readonly quotes?: ReadonlyArray<Quoted> }).quotes ?? [data as Quoted];
