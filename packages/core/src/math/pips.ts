/** The whole of an amount, in hundredths of a basis point, the unit of fees. */
export const PIPS = 1_000_000;
