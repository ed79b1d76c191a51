/** An amount as a person types it: whole tokens, with or without a fraction. */
export const DECIMAL_AMOUNT = /^(\d{1,78})(?:\.(\d{1,255}))?$/;

/**
 * Converts whole tokens, as a person types them, to the smallest unit. Undefined if the text is no
 * decimal number, or has more digits behind the point than the token.
 */
export function unitsOf(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ""] = DECIMAL_AMOUNT.exec(text) ?? [];
  const digits = fraction.replace(/0+$/, "");
  if (whole === undefined || digits.length > decimals) return undefined;
  return BigInt(whole + digits.padEnd(decimals, "0"));
}

/** Converts an amount in the smallest unit to whole tokens: exact, without trailing zeros. */
export function wholeTokens(units: bigint | string, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const at = digits.length - decimals;
  const fraction = digits.slice(at).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, at) : `${digits.slice(0, at)}.${fraction}`;
}

const FIGURES = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** A float for people. */
export const figure = (value: number): string => FIGURES.format(value);

/** US dollars; a hyphen where the value is unknown. */
export const dollarFigure = (value: number): string => (value === 0 ? "-" : `$${figure(value)}`);

/** A pool's fee in percent, from hundredths of a basis point. */
export const feePercent = (fee: number): string => `${figure(fee / 10_000)} %`;
