import { callsOfRange, entryOf, type Hex } from "@millrace/protocols";
import isolatedCalls from "../../src/compiled/IsolatedCalls.json" with { type: "json" };
import wordRanges from "../../src/compiled/WordRanges.json" with { type: "json" };
import { word } from "./words.ts";

/** The result of a call of a contract. */
type Call = (to: string, data: string) => Hex | undefined;

/** The result of creation code that calls contracts; undefined for other code. */
export function created(data: string, call: Call): Hex | undefined {
  for (const [{ bytecode }, answer] of [
    [isolatedCalls, isolated],
    [wordRanges, ranged],
  ] as const) {
    if (data.startsWith(bytecode)) return answer(data.slice(bytecode.length, -16), call);
  }
  return undefined;
}

/** The contract that makes several calls, each for one word. */
function isolated(calls: string, call: Call): Hex {
  let answers = "0x";
  for (let at = 0; at < calls.length; ) {
    const to = `0x${calls.slice(at, at + 40)}`;
    const length = 2 * Number.parseInt(calls.slice(at + 40, at + 44), 16);
    const answer = call(to, `0x${calls.slice(at + 44, at + 44 + length)}`);
    answers += answer?.length === 66 ? `01${answer.slice(2)}` : `00${word(0)}`;
    at += 44 + length;
  }
  return answers as Hex;
}

/** The contract that asks each target for many words, and returns those that are not 0. */
function ranged(ranges: string, call: Call): Hex {
  let entries = "";
  let made = 0;
  for (let at = 0; at < ranges.length; ) {
    const to = `0x${ranges.slice(at, at + 40)}` as const;
    const range = Number.parseInt(ranges.slice(at + 40, at + 48), 16);
    const length = 2 * Number.parseInt(ranges.slice(at + 48, at + 52), 16);
    const data = `0x${ranges.slice(at + 52, at + 52 + length)}` as const;
    for (const [place, each] of callsOfRange({ to, data, range }).entries()) {
      const answer = call(each.to, each.data);
      if (answer?.length !== 66) {
        entries += entryOf(made + place + 2 ** 31, word(0));
        break;
      }
      if (BigInt(answer) !== 0n) entries += entryOf(made + place, answer.slice(2));
    }
    made += range;
    at += 52 + length;
  }
  return `0x${word(made).slice(-8)}${entries}`;
}
