import {
  legDecoders,
  Mismatch,
  type RouterCommandDecoder,
  same,
  type WordReader,
} from "@millrace/protocols";
import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RouterTable } from "../SwapRouter.ts";
import { readPermit } from "./readPermit.ts";
import { UniversalRouterRun } from "./UniversalRouterRun.ts";

const EXECUTE = "0x3593564c"; // execute(bytes,bytes[],uint256)
const WORD_BYTES = 32;

/** Swap commands of the families that the router reaches, by code. */
const SWAPS: ReadonlyMap<
  string,
  { readonly name: string; readonly decoder: RouterCommandDecoder }
> = new Map(
  legDecoders.flatMap(({ name, routerCommand: decoder }) =>
    decoder === undefined ? [] : decoder.codes.map((code) => [code, { name, decoder }] as const),
  ),
);

/**
 * Checks a call of the Universal Router 2.0. Only commands that a swap is made of are known; each
 * runs on a model of the router that knows what it holds and what is left to do.
 */
export function checkUniversalRouterCall(
  router: NonNullable<RouterTable["universalRouter"]>,
  intent: SwapIntent,
  permit: Permit | undefined,
  selector: string,
  words: WordReader,
): void {
  same("selector", selector, EXECUTE);
  words.offset(3 * WORD_BYTES);
  const inputsOffset = words.number("an offset");
  same("deadline", words.number("deadline"), intent.deadline);
  const commands = words.bytes("commands");
  const count = commands.length / 2;
  same("an offset", inputsOffset, (4 + Math.ceil(count / WORD_BYTES)) * WORD_BYTES);
  same("number of inputs", words.number("number of inputs"), count);
  const offsets: number[] = [];
  for (let place = 0; place < count; place++) offsets.push(words.number("an offset"));
  const run = new UniversalRouterRun(router, intent, permit);
  let offset = count * WORD_BYTES;
  for (let place = 0; place < count; place++) {
    same(`offset of input ${place}`, offsets[place]!, offset);
    const input = words.part(`input ${place}`);
    offset += WORD_BYTES + input.bytesLeft;
    runCommand(run, commands.slice(2 * place, 2 * place + 2), input);
    input.end();
  }
  words.end();
  run.end();
}

/**
 * Compares the whole byte: its upper bits would let a command fail, or mean nothing. Only the
 * permit may fail, as it does when somebody else has used the signature first.
 */
function runCommand(run: UniversalRouterRun, command: string, input: WordReader): void {
  const swap = SWAPS.get(command);
  if (swap !== undefined) {
    const { name, decoder } = swap;
    return run.swap({ name, decoder, ...decoder.read(command, input) });
  }
  switch (command) {
    case "02":
      return run.pull(input.address("pull, token"), input.address("pull, to"), input.uint());
    case "04":
      return run.sweep(input.address("sweep, token"), input.address("sweep, to"), input.uint());
    case "06":
      return run.payPortion(input.address("fee, token"), input.address("fee, to"), input.uint());
    case "8a":
      return run.permit(readPermit(input));
    case "0b":
      return run.wrap(input.address("wrap, to"), input.uint());
    case "0c":
      return run.unwrap(input.address("unwrap, to"), input.uint());
    default:
      throw new Mismatch(`command 0x${command} is no part of a swap`);
  }
}
