import { type CycleJson, NATIVE_TOKEN } from "@millrace/api";
import { Effect } from "effect";
import { commandRefused, wrongUsage } from "../CommandError.ts";
import { figure, wholeTokens } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import { findToken, type NamedToken, tokensByAddress } from "../service/findToken.ts";
import { type MarketFlags, ownMarketFlags } from "../service/MarketFlags.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";

interface CycleWords {
  readonly token: string;
  readonly maxHops: number;
  readonly limit: number;
}

/** Shows profitable cycles of a token, the best first. */
export const showCycles = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { token, maxHops, limit }: CycleWords,
) {
  if (ownMarketFlags(flags).length === 0) {
    const ways = "--market-file, --devnet, --rpc-url or --config";
    return yield* wrongUsage(`cycles are searched in a market of one's own: say ${ways}`);
  }
  const access = yield* ServiceAccess.open(flags);
  const { output } = access;
  const start = yield* startToken(access, token);
  const cycles = access.own!.cycles(start.address, maxHops).slice(0, limit);
  if (output.isJson) return output.json({ token: start.address, cycles });
  const tokens = yield* tokensByAddress(access, passedBy(cycles));
  const amount = (units: string) => wholeTokens(units, start.decimals);
  output.table(
    [
      { title: "profit", cell: ({ profit }) => `${amount(profit)} ${start.symbol}` },
      { title: "from", cell: ({ amountIn }) => amount(amountIn), isOptional: true },
      { title: "tokens", cell: (cycle) => pathText(cycle, tokens), isOptional: true },
      {
        title: "gas",
        cell: ({ gasEstimate }) => figure(Number(gasEstimate)),
        ...{ isRight: true, isOptional: true },
      },
      {
        title: "pools",
        cell: ({ steps }) => steps.map(({ pool }) => pool).join(" "),
        isOptional: true,
      },
    ],
    cycles,
  );
});

/** The named token, or by default the network's wrapped native token. */
export const startToken = Effect.fnUntraced(function* (access: ServiceAccess, name: string) {
  const { id, wrappedNative } = access.network;
  const wanted = name === "" ? wrappedNative : name;
  if (wanted === null)
    return yield* commandRefused(`${id} has no wrapped native token: say which token`);
  const { address, ...found } = yield* findToken(access, wanted);
  // A cycle passes pools, and pools hold the wrapped native token.
  const isNative = address.toLowerCase() === NATIVE_TOKEN.toLowerCase();
  return { ...found, address: isNative ? (wrappedNative ?? address) : address };
});

const passedBy = (cycles: ReadonlyArray<CycleJson>): string[] =>
  cycles.flatMap(({ steps }) => steps.map(({ tokenIn }) => tokenIn));

/** As `WETH → USDC → WETH`. */
export function pathText({ steps }: CycleJson, tokens: ReadonlyMap<string, NamedToken>): string {
  const passed = [...steps.map(({ tokenIn }) => tokenIn), steps[0]!.tokenIn];
  return passed
    .map((address) => tokens.get(address.toLowerCase())?.symbol ?? plainText(address))
    .join(" → ");
}
