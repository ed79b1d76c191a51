/** A part of a JSON document of schemas; missing parts count as empty. */
export type Json = Readonly<Record<string, unknown>>;

export const lastOf = (reference: string): string => reference.replace(/^.*\//, "");

/** Text with `code` in backticks, as HTML. */
export const prose = (value: unknown): string =>
  escape(shownText(value)).replace(/`([^`]*)`/g, "<code>$1</code>");

export const escape = (value: string): string =>
  value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

export const shownText = (value: unknown): string => (value === undefined ? "" : String(value));

export const object = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : []);
