/** The value of a JSON text; undefined when the text is not JSON, or is overfull. */
export function parseJson(body: string): unknown {
  if (body.length > LENGTH_UNSUSPECTED && isOverfull(body)) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * True when a text has more commas or brackets than any request needs. JSON.parse takes
 * milliseconds for the worst 64 KiB (nested brackets, thousands of keys); counting takes less than
 * one tenth.
 */
export function isOverfull(body: string): boolean {
  let marks = 0;
  for (let index = 0; index < body.length; index++) {
    const code = body.charCodeAt(index);
    if (code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE) marks++;
  }
  return marks > MARKS_MAX;
}

/** No text of this length takes long, whatever it holds. */
const LENGTH_UNSUSPECTED = 4_096;

/**
 * A quote request has at most thirteen keys, two hundred exclusions, and assumptions: 256 steps
 * with only what they need, or almost two hundred full steps, which is all that fits into a body.
 * The quote of a swap request has as many steps.
 */
const MARKS_MAX = 2_048;

const COMMA = ",".charCodeAt(0);
const OPEN_BRACKET = "[".charCodeAt(0);
const OPEN_BRACE = "{".charCodeAt(0);
