/** One number that a benchmark found. */
export interface Figure {
  /** Starts with the benchmark's name, as `route-search.universe-a.p50`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** `figure<TAB>value<TAB>unit`, without the line's end. */
export function formatFigure({ name, value, unit }: Figure): string {
  return `${name}\t${formatValue(value)}\t${unit}`;
}

/** The figures among the lines of a text. */
export function parseFigures(text: string): ReadonlyArray<Figure> {
  return text.split("\n").flatMap((line) => {
    const [name, value, unit, ...more] = line.split("\t");
    if (name === undefined || value === undefined || unit === undefined || more.length > 0) {
      return [];
    }
    return name !== "" && Number.isFinite(Number(value))
      ? [{ name, value: Number(value), unit }]
      : [];
  });
}

/** Four significant digits; whole numbers in full. */
export function formatValue(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}
