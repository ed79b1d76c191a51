import type { RandomSource } from "@millrace/testing";

/** Bytes that began as requests, and where they are cut into segments. */
export function drawStream(random: RandomSource): { bytes: Buffer; cuts: number[] } {
  let bytes: Buffer = Buffer.from(drawRequests(random), "latin1");
  for (let left = random.integer(4); left > 0; left--) bytes = mutated(bytes, random);
  const cuts = Array.from({ length: random.integer(4) }, () => random.integer(bytes.length + 1));
  return { bytes, cuts: cuts.toSorted((a, b) => a - b) };
}

/** Whole requests, each with a body of its own, as clients send them. */
function drawRequests(random: RandomSource): string {
  return Array.from({ length: random.between(1, 4) }, () => drawRequest(random)).join("");
}

function drawRequest(random: RandomSource): string {
  const method = random.pick(METHODS);
  const hasBody = method === "POST" || method === "PUT" || random.chance(0.1);
  const body = hasBody ? random.pick(BODIES) : "";
  const lines = [
    `${method} ${random.pick(TARGETS)} HTTP/1.1`,
    "Host: test",
    ...(hasBody ? [`Content-Length: ${body.length}`] : []),
  ];
  while (random.chance(0.3)) lines.push(random.pick(HEADERS));
  return `${lines[0]}\r\n${random.shuffled(lines.slice(1)).join("\r\n")}\r\n\r\n${body}`;
}

function mutated(bytes: Buffer, random: RandomSource): Buffer {
  const at = random.integer(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.integer(random.pick([1, 4, 40])));
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, end),
    bytes.subarray(end),
  ];
  const inserted = Buffer.from(random.pick(FRAGMENTS), "latin1");
  switch (random.integer(7)) {
    case 0:
      return Buffer.concat([before, part.map((byte) => byte ^ (1 << random.integer(8))), after]);
    case 1:
      return Buffer.concat([before, Buffer.of(random.integer(256)), part, after]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, part, part, after]);
    case 4:
      return afterLine(bytes, random, inserted);
    case 5:
      return Buffer.concat([before, inserted, part, after]);
    default:
      return replaced(bytes, random);
  }
}

/** Puts a line behind another one. */
function afterLine(bytes: Buffer, random: RandomSource, line: Buffer): Buffer {
  const ends: number[] = [];
  for (let at = bytes.indexOf("\r\n"); at >= 0; at = bytes.indexOf("\r\n", at + 2))
    ends.push(at + 2);
  const at = ends.length === 0 ? 0 : random.pick(ends);
  return Buffer.concat([bytes.subarray(0, at), line, Buffer.from("\r\n"), bytes.subarray(at)]);
}

/** Writes something in another way, where it is there. */
function replaced(bytes: Buffer, random: RandomSource): Buffer {
  const [from, to] = random.pick(REPLACEMENTS);
  const at = bytes.indexOf(from, random.integer(bytes.length + 1), "latin1");
  if (at < 0) return bytes;
  const after = bytes.subarray(at + from.length);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(to, "latin1"), after]);
}

const METHODS = ["GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS"];
const TARGETS = [
  "/direct/a",
  "/direct/b?c=d",
  "/effect",
  "/effect/%71?e",
  "/",
  "/direct/%61",
  "/?",
];
const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n";
const BODIES = ["", "ab", "{}", "0\r\n\r\n", SMUGGLED, `0\r\n\r\n${SMUGGLED}`];
const HEADERS = [
  ...[
    "Connection: keep-alive",
    "Connection: close",
    "Connection: Close, x",
    "Expect: 100-continue",
  ],
  ...["Origin: https://page.example", "X-Request-Id: a", "Accept: */*", "Upgrade: h2c", "X: \xe9"],
  ...["Content-Type: application/json", "Cookie: a=b", "Cookie: c=d", "Transfer-Encoding: chunked"],
];

/** What two readers have been seen to read differently. */
const FRAGMENTS = [
  ...["Content-Length: 2", "Content-Length: 0", "content-length:5", "Content-Length : 2"],
  ...["Content-Length: 0x2", "Content-Length: 2, 2", "Content-Length: +2", "Content-Length: 02"],
  ...["Transfer-Encoding: chunked", "Transfer-Encoding:\tchunked", "Transfer-Encoding: x"],
  ...[
    "Transfer_Encoding: chunked",
    "Connection: close",
    "Connection: x, close",
    "Host: b",
    "Host:",
  ],
  ...[" folded", "\tfolded", "X: a\n Content-Length: 3", "X: a\rb", "X\0: a", "X: \0", ": empty"],
  ...[
    "X: \x7f",
    "X: \x01",
    "X:\x0b a",
    "\xe9: a",
    "X: \xff\xfe",
    "X\t: a",
    "X",
    `X: ${"a".repeat(5_000)}`,
  ],
  ...["\r\n", "\n", "\r", "\0", " ", "\t", "\r\n\r\n", "\n\n", ":", "?", "#", "%", "%2f", "%00"],
  ...["3\r\nabc\r\n0\r\n\r\n", "Trailer: X", "Upgrade: websocket", SMUGGLED, "Expect: 200-ok"],
];

const REPLACEMENTS = [
  ...([
    ["\r\n", "\n"],
    ["\r\n", "\r"],
    ["\r\n", "\r\n "],
    ["\r\n", " \r\n"],
    [": ", ":"],
  ] as const),
  ...([
    [": ", " : "],
    [": ", ":\t"],
    ["Content-Length", "content-length"],
  ] as const),
  ...([
    ["HTTP/1.1", "HTTP/1.0"],
    ["HTTP/1.1", "HTTP/2.0"],
    ["HTTP/1.1", "http/1.1"],
  ] as const),
  ...([
    [" HTTP/1.1", ""],
    [" /", "  /"],
    [" /", "\t/"],
    [" /", " http://other/"],
  ] as const),
  ...([
    [" /", " *"],
    [" /", " //"],
    [" /", " /\xe9"],
    [" /", " /\x7f"],
    ["/direct", "/%64irect"],
  ] as const),
  ...([
    ["GET", "get"],
    ["GET", "CONNECT"],
    ["POST", "G@T"],
    ["GET", "PRI"],
    ["POST", "TRACE"],
  ] as const),
] as const;
