import { Argument, Flag } from "effect/cli";
import { namesPool, quoteFlags, wholeFlag } from "../flags.ts";
import { DECIMAL_AMOUNT } from "../output/decimalAmounts.ts";

const amount = Argument.String("amount").pipe(
  Argument.withDescription(
    "Whole tokens, as 1.5: of the first token, or with --exact-output of the second",
  ),
  Argument.filter(
    (text) => DECIMAL_AMOUNT.test(text),
    (text) => `${text} is no amount: a decimal number is wanted, as 1.5`,
  ),
);
export const tokenWord = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`${description}: its address, or a symbol that only it has`),
  );
export const poolWord = Argument.String("pool").pipe(
  Argument.withDescription("A pool's address, or its id"),
  Argument.filter(namesPool, (text) => `${text} is no pool: an address or an id is wanted`),
);
export const countFlag = Flag.Int("count").pipe(
  Flag.withDescription("Ends after so many updates; default never"),
  Flag.withMetavar("N"),
  Flag.filter(
    (wanted) => wanted > 0,
    () => "--count has to be above 0",
  ),
  Flag.withDefault(Number.MAX_SAFE_INTEGER),
);
/** The arguments and flags of a quote. */
export const quoteWords = {
  amount,
  tokenIn: tokenWord("token-in", "The token that goes in"),
  tokenOut: tokenWord("token-out", "The token that comes out"),
  ...quoteFlags,
};

/** The token where cycles begin and end. */
export const startWord = Argument.String("token").pipe(
  Argument.withDescription("Where they begin and end; the wrapped native token unless said"),
  Argument.withDefault(""),
);
export const cycleHops = wholeFlag("max-hops", 2, 4, 3, "Pools of a round trip, at most");

export const historyFlag = Flag.String("history").pipe(
  Flag.withDescription("A history's file, that a service keeps in its data directory"),
  Flag.withMetavar("FILE"),
);
