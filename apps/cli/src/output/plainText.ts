/** What moves a cursor, turns the direction of writing, or is not seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const LENGTH_MAX = 500;

/** A stranger's text, as a token's symbol, on one line: without what a terminal obeys. */
export const plainText = (text: string): string =>
  text.slice(0, LENGTH_MAX).replace(UNSEEN, "").trim();

/** The same of a longer text with lines, as a message. */
export const plainLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(UNSEEN, ""))
    .join("\n");

/** One line of JSON that says the same, and holds nothing that a terminal obeys. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
