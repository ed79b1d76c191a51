import { describe, expect, it } from "vitest";
import { type Got, OWN_PAGE, rpc, WalletService } from "../kit/walletService.ts";

const BURST = 200;

/** The test acts as a proxy, so that each test is a client of its own. */
const devnet = new WalletService({
  limits: { address: { perSecond: 1, burst: BURST }, trustedProxies: ["127.0.0.1"] },
});

const from = (client: string) => ({ "x-forwarded-for": client });
const leftOf = ({ headers }: Got): number =>
  Number(/;r=(\d+);/.exec(String(headers["ratelimit"]))![1]);

describe("a request to the wallet of a devnet", () => {
  it("costs what asking nodes costs, and its body, until the budget is used up", async () => {
    const headers = { ...OWN_PAGE, ...from("192.0.2.1") };
    const first = await devnet.send({ headers });
    expect([first.status, leftOf(first)]).toEqual([200, BURST - 55]);
    const call = { to: `0x${"1".repeat(40)}`, data: `0x${"00".repeat(30_000)}` };
    const long = await devnet.send({ headers, body: rpc("eth_call", call, "latest") });
    // 58 KiB; a second may have passed.
    expect(long.status).toBe(200);
    expect(BURST - 2 * 55 - leftOf(long)).toBeGreaterThanOrEqual(10);
    await devnet.send({ headers });
    const refused = await devnet.send({ headers });
    expect([refused.status, refused.json.code]).toEqual([429, "RATE_LIMITED"]);
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
  });

  it("costs a stranger's page as much", async () => {
    const refused = await devnet.send({ headers: from("192.0.2.2") });
    expect([refused.status, leftOf(refused)]).toEqual([403, BURST - 55]);
  });
});
