import { closePayload, frame, OPCODES } from "./frameClient.ts";

/** What a client sends that it must not, and the close code that it may be told. */
export interface BadFrames {
  readonly what: string;
  readonly bytes: Buffer;
}

const { binary, close, continuation, ping, pong, text } = OPCODES;

const invalidTexts: ReadonlyArray<readonly [what: string, bytes: ReadonlyArray<number>]> = [
  ["a lone continuation byte", [0x80]],
  ["a lone 0xBF", [0xbf]],
  ["a byte 0xFE", [0xfe]],
  ["a byte 0xFF", [0xff]],
  ["an overlong slash of two bytes", [0xc0, 0xaf]],
  ["an overlong slash of three bytes", [0xe0, 0x80, 0xaf]],
  ["an overlong slash of four bytes", [0xf0, 0x80, 0x80, 0xaf]],
  ["an overlong NUL", [0xc0, 0x80]],
  ["the largest overlong of two bytes", [0xc1, 0xbf]],
  ["the largest overlong of three bytes", [0xe0, 0x9f, 0xbf]],
  ["the largest overlong of four bytes", [0xf0, 0x8f, 0xbf, 0xbf]],
  ["a high surrogate", [0xed, 0xa0, 0x80]],
  ["a low surrogate", [0xed, 0xbf, 0xbf]],
  ["a surrogate pair", [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80]],
  ["a code point above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ["a sequence of five bytes", [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ["a sequence of six bytes", [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80]],
  ["a cut sequence of two bytes", [0xc3]],
  ["a cut sequence of three bytes", [0xe2, 0x82]],
  ["a cut sequence of four bytes", [0xf0, 0x9f, 0x98]],
  ["good text with bad at its end", [0x68, 0x69, 0xff]],
  ["good text with bad within", [0x68, 0xc3, 0x28, 0x69]],
];

const wrongCloseCodes = [
  0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 10_000, 65_535,
];

const reservedBits: BadFrames[] = [1, 2, 3, 4, 5, 6, 7].flatMap((reserved) =>
  [text, binary, ping, close].map((opcode) => ({
    what: `reserved bits ${reserved} in opcode ${opcode}`,
    bytes: frame(opcode, "x".repeat(opcode === close ? 0 : 1), { reserved }),
  })),
);

const reservedOpcodes: BadFrames[] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap((opcode) => [
  { what: `opcode ${opcode}`, bytes: frame(opcode, "x") },
  { what: `opcode ${opcode} without a payload`, bytes: frame(opcode, "") },
  { what: `opcode ${opcode} unfinished`, bytes: frame(opcode, "x", { fin: false }) },
]);

const controls: BadFrames[] = [close, ping, pong].flatMap((opcode) => [
  { what: `opcode ${opcode} of 126 bytes`, bytes: frame(opcode, "x".repeat(126)) },
  { what: `opcode ${opcode} of 70,000 bytes`, bytes: frame(opcode, "x".repeat(70_000)) },
  { what: `opcode ${opcode} in fragments`, bytes: frame(opcode, "", { fin: false }) },
]);

const fragments: BadFrames[] = [
  { what: "a continuation of nothing", bytes: frame(continuation, "x") },
  {
    what: "an unfinished continuation of nothing",
    bytes: frame(continuation, "x", { fin: false }),
  },
  {
    what: "a continuation after a whole message",
    bytes: Buffer.concat([frame(ping, ""), frame(continuation, "x")]),
  },
  {
    what: "a text within a text",
    bytes: Buffer.concat([frame(text, "a", { fin: false }), frame(text, "b")]),
  },
  {
    what: "a binary within a text",
    bytes: Buffer.concat([frame(text, "a", { fin: false }), frame(binary, "b")]),
  },
  {
    what: "an unfinished text within a text",
    bytes: Buffer.concat([
      frame(text, "a", { fin: false }),
      frame(text, "b", { fin: false }),
      frame(continuation, "c"),
    ]),
  },
];

const closes: BadFrames[] = [
  { what: "a close frame of one byte", bytes: frame(close, "x") },
  {
    what: "a close reason that is no UTF-8",
    bytes: frame(close, closePayload(1000, new Uint8Array([0xff, 0xfe]))),
  },
  ...wrongCloseCodes.map((code) => ({
    what: `close code ${code}`,
    bytes: frame(close, closePayload(code)),
  })),
];

const lengths: BadFrames[] = [
  { what: "a message of 16,385 bytes", bytes: frame(text, "x".repeat(16_385)) },
  { what: "a message of 65,536 bytes", bytes: frame(text, "x".repeat(65_536)) },
  ...([2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n] as const).map(
    (claimedLength) => ({
      what: `a length of ${claimedLength}`,
      bytes: frame(text, "x", { claimedLength, lengthBits: 64 }),
    }),
  ),
  {
    what: "fragments of 16,385 bytes together",
    bytes: Buffer.concat([
      frame(text, "x".repeat(16_384), { fin: false }),
      frame(continuation, "x"),
    ]),
  },
  {
    what: "twenty thousand empty fragments and too many bytes",
    bytes: Buffer.concat([
      frame(text, "", { fin: false }),
      ...Array.from({ length: 20_000 }, () => frame(continuation, "x", { fin: false })),
    ]),
  },
];

const binaries: BadFrames[] = [
  { what: "a binary message", bytes: frame(binary, "x") },
  { what: "an empty binary message", bytes: frame(binary, "") },
  { what: "a binary message that is JSON", bytes: frame(binary, '{"op":"ping","id":1}') },
  {
    what: "a binary message in fragments",
    bytes: Buffer.concat([frame(binary, "a", { fin: false }), frame(continuation, "b")]),
  },
];

const texts: BadFrames[] = invalidTexts.flatMap(([what, bytes]) => [
  { what: `a text with ${what}`, bytes: frame(text, Uint8Array.from(bytes)) },
  {
    what: `a text in fragments with ${what}`,
    bytes: Buffer.concat([
      frame(text, "ok ", { fin: false }),
      frame(continuation, Uint8Array.from(bytes)),
    ]),
  },
]);

/** Sequences of frames that break RFC 6455, or what the route takes. */
export const badFrames: ReadonlyArray<BadFrames> = [
  ...reservedBits,
  ...reservedOpcodes,
  ...controls,
  ...fragments,
  ...closes,
  ...lengths,
  ...binaries,
  ...texts,
];
