/** Whether the text is so many bytes in hex digits, after `0x`. */
export const isHex = (text: string, bytes: number): boolean =>
  text.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/i.test(text);
