import { describe, expect, it } from "vitest";
import { printable, secretsOf } from "../../src/rpc/printable.ts";
import { retryAfterMs } from "../../src/rpc/retryAfterMs.ts";

describe("a stranger's text", () => {
  it("loses what would act on a terminal or a reader's eye", () => {
    expect(printable("a\u0000\u001b[31m\u202eb\u200b\u2028c\ud800d\n", [])).toBe("a [31m b c d");
  });

  it("is cut to two hundred characters, never through one", () => {
    const text = printable("🦀".repeat(5_000_000), []);
    expect([...text]).toHaveLength(200);
    expect(text.endsWith("🦀…")).toBe(true);
  });

  it("loses every part of the endpoint's URLs that may be a key", () => {
    const secrets = secretsOf([
      "https://user:passw0rd@abcdef.node.example:8545/v3/0123456789?apikey=zyxwvut",
      "no URL",
    ]);
    const text = "abcdef.node.example:8545 passw0rd 0123456789 zyxwvut no URL v3";
    expect(printable(text, secrets)).toBe("… … … … … v3");
  });
});

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    ["3", 3_000],
    ["0.5", 500],
    [" 3 ", 3_000],
    ["Thu, 01 Jan 1970 00:01:01 GMT", 1_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["999999999999999999999", 600_000],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 600_000],
    ["-1", undefined],
    ["soon", undefined],
    ["yesterday GMT", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("of %j seen from a minute past is %j ms", (header, ms) => {
    expect(retryAfterMs(header, 60_000)).toBe(ms);
  });
});
