/** Control, bidirectional, zero-width, unassigned and broken characters, and line breaks. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{DI}\ufffd]/u;
const ALL_UNSAFE = new RegExp(UNSAFE, "gu");

/** Number of code points kept of a text. */
const TEXT_MAX = 64;
/** Number of UTF-16 units looked at, so that a text of megabytes costs nothing. */
const UNITS_MAX = 1_024;

/** An untrusted text without invisible or misleading characters, and not long; it may be empty. */
export function cleanText(text: string): string {
  const visible = text.slice(0, UNITS_MAX).replace(ALL_UNSAFE, "").normalize("NFC");
  return [...visible].slice(0, TEXT_MAX).join("").trim();
}

/** True for a text that can be shown as it is: `cleanText` would change only its normal form. */
export function isSafeText(text: string): boolean {
  if (text.length === 0 || text.length > 2 * TEXT_MAX || UNSAFE.test(text)) return false;
  return text.trim() === text && (text.length <= TEXT_MAX || [...text].length <= TEXT_MAX);
}
