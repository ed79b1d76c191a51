/** All of an amount, in hundredths of a basis point, as fees are given. */
export const PIPS = 1_000_000;
