import { Result } from "effect";
import { describe, expect, it } from "vitest";
import { decodeTokenRequest } from "../src/index.ts";

const ADDRESS = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";

const issues = (address: string, query: string) => {
  const decoded = decodeTokenRequest(address, query);
  return Result.isFailure(decoded)
    ? decoded.failure.map(({ code, path }) => `${code} ${path.join(".")}`)
    : decoded.success;
};

describe("the decoder of token requests", () => {
  it("the request for a token is an address of any case, and the network that is named", () => {
    expect(issues(ADDRESS, "")).toEqual({ address: ADDRESS });
    expect(issues(ADDRESS, "chainId=8453")).toEqual({ address: ADDRESS, chainId: 8453 });
    expect(issues(ADDRESS, "chainId=%31")).toEqual({ address: ADDRESS, chainId: 1 });
    expect(issues(ADDRESS, "network=BASE")).toEqual({ address: ADDRESS, network: "BASE" });
    expect(issues(ADDRESS, "chainId=1&network=ETH")).toEqual({
      ...{ address: ADDRESS, chainId: 1, network: "ETH" },
    });
  });

  it("each parameter of it that is wrong has its issue, the path before the query", () => {
    expect(issues("0x12", "")).toEqual(["invalid_format address"]);
    expect(issues(`${ADDRESS}0`, "chainId=0&foo=1")).toEqual([
      "invalid_format address",
      "unrecognized_key foo",
      "too_small chainId",
    ]);
    expect(issues(ADDRESS, "chainId=1&chainId=1")).toEqual(["invalid_type chainId"]);
    expect(issues(ADDRESS, "network=")).toEqual(["too_small network"]);
    expect(issues(ADDRESS, "chainId=1e3")).toEqual(["invalid_type chainId"]);
    expect(issues(ADDRESS, "__proto__=1")).toEqual(["unrecognized_key __proto__"]);
    expect(issues(ADDRESS, "interval=1h")).toEqual(["unrecognized_key interval"]);
  });
});
