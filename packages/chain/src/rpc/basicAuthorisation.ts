/** `fetch` and `WebSocket` reject a URL with user and password, so these go into a header. */
export function basicAuthorisation(url: string): {
  readonly bareUrl: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const parsed = new URL(url);
  const { username, password } = parsed;
  if (username === "" && password === "") return { bareUrl: url, headers: {} };
  parsed.username = "";
  parsed.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    bareUrl: parsed.href,
    headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
  };
}
