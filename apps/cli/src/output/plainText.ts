/** Characters that move a cursor, change the direction of writing, or are invisible. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const LENGTH_MAX = 500;

/**
 * Untrusted text, such as a token's symbol, on one line and without terminal control characters.
 */
export const plainText = (text: string): string =>
  text.slice(0, LENGTH_MAX).replace(UNSEEN, "").trim();

/** The same for a longer text with lines, such as a message. */
export const plainLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(UNSEEN, ""))
    .join("\n");

/** One line of JSON, with terminal control characters escaped. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
