const CHARACTERS_MAX = 200;
/** Much more than is kept, so that enough is left whatever is removed. */
const READ_MAX = 2_000;
/** Shorter parts of a URL are not keys, and replacing them would mangle honest messages. */
const SECRET_LENGTH_MIN = 6;

/**
 * An untrusted text made safe for logs and errors: control, bidirectional and other invisible
 * characters become spaces, everything in `secrets` is removed, and at most 200 characters are
 * left.
 */
export function printable(text: string, secrets: ReadonlyArray<string>): string {
  let clean = text.slice(0, READ_MAX);
  for (const secret of secrets) clean = clean.replaceAll(secret, "…");
  clean = clean.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  const characters = [...clean];
  if (characters.length <= CHARACTERS_MAX) return clean;
  return `${characters.slice(0, CHARACTERS_MAX - 1).join("")}…`;
}

/** Parts of URLs that may be a key or show whose it is, the longest first. */
export function secretsOf(urls: ReadonlyArray<string>): ReadonlyArray<string> {
  const parts = urls
    .filter((url) => URL.canParse(url))
    .flatMap((text) => {
      const url = new URL(text);
      return [
        url.host,
        url.username,
        url.password,
        ...url.pathname.split("/"),
        ...url.searchParams.values(),
      ];
    });
  return [...urls, ...parts]
    .filter((part) => part.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
}
