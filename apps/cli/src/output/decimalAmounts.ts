/** Digits of an amount that a person types: whole tokens, with a fraction or without. */
export const DECIMAL_AMOUNT = /^(\d{1,78})(?:\.(\d{1,255}))?$/;

/**
 * Whole tokens as a person writes them, in the smallest unit; undefined where they are no decimal
 * number, or have more digits behind the point than the token.
 */
export function unitsOf(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ""] = DECIMAL_AMOUNT.exec(text) ?? [];
  const digits = fraction.replace(/0+$/, "");
  if (whole === undefined || digits.length > decimals) return undefined;
  return BigInt(whole + digits.padEnd(decimals, "0"));
}

/** An amount in the smallest unit as whole tokens: exact, without zeros at the end. */
export function wholeTokens(units: bigint | string, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const at = digits.length - decimals;
  const fraction = digits.slice(at).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, at) : `${digits.slice(0, at)}.${fraction}`;
}

const FIGURES = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** A float for people. */
export const figure = (value: number): string => FIGURES.format(value);

/** US dollars; a hyphen where they are not known. */
export const dollarFigure = (value: number): string => (value === 0 ? "-" : `$${figure(value)}`);

/** Hundredths of a basis point, as pools say their fees, in percent. */
export const feePercent = (fee: number): string => `${figure(fee / 10_000)} %`;
