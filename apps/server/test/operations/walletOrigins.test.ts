import { describe, expect, it } from "vitest";
import { whyForeign } from "../../src/wallet/whyForeign.ts";
import { OWN_PAGE, WalletService } from "../kit/walletService.ts";

const devnet = new WalletService();

describe("a request that no page of the service's own sends", () => {
  const refused = async (headers: Record<string, string>) => {
    const { status, json, headers: given } = await devnet.send({ headers });
    expect([headers, status, json.code]).toEqual([headers, 403, "FORBIDDEN"]);
    expect(given["access-control-allow-origin"]).toBeUndefined();
  };

  it("is refused without headers of a browser, as curl sends it", () => refused({}));

  it("is refused from another origin, `null` included, whatever it says beside", async () => {
    const own = `http://${devnet.host}`;
    for (const origin of [
      ...["null", "https://evil.example", "http://localhost:3000", `${own}.evil.example`],
      ...[
        `${own}/`,
        `http://user@${devnet.host}`,
        `ftp://${devnet.host}`,
        `${own}, ${own}`,
        "http://",
      ],
      // The service itself has no https: only the browser's header shows that this is its own page.
      `https://${devnet.host}`,
    ]) {
      await refused({ origin });
      if (!origin.startsWith("https://127")) await refused({ origin, ...OWN_PAGE });
    }
    for (const site of ["cross-site", "same-site", "none", "same-origin, same-origin", "x"]) {
      await refused({ "sec-fetch-site": site });
      await refused({ "sec-fetch-site": site, origin: own });
    }
  });

  it("is refused at a name that a stranger may have lead here (DNS rebinding)", async () => {
    for (const name of [
      ...["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost"],
      ...["localhost.", "localhost@evil.example", "2130706433", "127.1", "[::1", "[evil]", "::1"],
    ]) {
      const named = `${name}:8080`;
      await refused({ host: named, origin: `http://${named}`, ...OWN_PAGE });
      await refused({ host: named, origin: `http://${named}` });
    }
  });

  it("is never allowed by a preflight, of any method", async () => {
    for (const asked of ["POST", "GET", "HEAD", "PUT"]) {
      for (const path of ["/ETH/wallet", "/ETH/wallet/", "/ETH/%77allet", "/ETH/WALLET"]) {
        const headers = { origin: "https://evil.example", "access-control-request-method": asked };
        const preflight = await devnet.send({ method: "OPTIONS", headers, path, body: "" });
        const names = Object.keys(preflight.headers).filter((name) => name.startsWith("access-"));
        expect([asked, path, names]).toEqual([asked, path, []]);
      }
    }
  });

  it("is refused in every other form of the path as well", async () => {
    for (const path of ["/ETH/wallet/", "/%45TH/wallet", "/ETH/%77allet", "/ETH/WALLET"]) {
      expect((await devnet.send({ path })).status).toBe(403);
      expect((await devnet.send({ path, headers: OWN_PAGE })).status).toBe(200);
    }
  });
});

describe("a page of the service's own", () => {
  it("may ask by either header, at an address, at localhost and at the configured host", async () => {
    const own = `http://${devnet.host}`;
    for (const headers of [
      ...[OWN_PAGE, { origin: own }, { origin: own, ...OWN_PAGE }],
      { host: "localhost:8080", origin: "http://localhost:8080", ...OWN_PAGE },
      { host: "LOCALHOST", origin: "http://localhost" },
      { host: "[::1]:8080", origin: "http://[::1]:8080" },
      // Through a proxy that speaks https with the browser.
      { host: "192.0.2.1", origin: "https://192.0.2.1", ...OWN_PAGE },
    ]) {
      expect((await devnet.send({ headers })).status).toBe(200);
    }
    const page = { host: "box.lan:8080", origin: "http://box.lan:8080", site: "same-origin" };
    expect(whyForeign(page, "Box.lan")).toBeUndefined();
    expect(whyForeign(page, "127.0.0.1")).toBeDefined();
    expect(whyForeign({ ...page, host: "" }, "")).toBeDefined();
  });
});
