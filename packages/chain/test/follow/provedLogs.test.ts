import type { Hex } from "@millrace/protocols";
import { Effect, Result } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headerByHash } from "../../src/follow/Header.ts";
import { logsBloom } from "../../src/follow/logsBloom.ts";
import { provedLogs } from "../../src/follow/provedLogs.ts";
import type { Endpoint } from "../../src/rpc/Endpoints.ts";
import { Anvil, artifact } from "../reading/anvil.ts";

const WETH = artifact("canonical-weth/build/contracts/WETH9.json");
/** `deposit()`: makes one log. */
const DEPOSIT: Hex = "0xd0e30db0";

let anvil: Anvil;
const hashes: Hex[] = [];

beforeAll(async () => {
  anvil = await Anvil.start();
  const [from] = await anvil.rpc<Hex[]>("eth_accounts");
  const weth = await anvil.rpc<{ contractAddress: Hex }>("eth_sendTransactionSync", {
    from,
    data: WETH.bytecode,
  });
  await anvil.rpc("evm_setAutomine", false);
  for (const count of [0, 1, 2, 17, 140]) {
    for (let index = 0; index < count; index++) {
      // One block has legacy transactions.
      const calls = index % 3 === 0 ? {} : { data: DEPOSIT };
      const fee = count === 17 ? { gasPrice: "0x4a817c800" } : {};
      const to = weth.contractAddress;
      await anvil.rpc("eth_sendTransaction", {
        from,
        to,
        value: "0x1",
        gas: "0xea60",
        ...calls,
        ...fee,
      });
    }
    await anvil.rpc("evm_mine");
    const { hash, transactions } = await anvil.rpc<{ hash: Hex; transactions: Hex[] }>(
      "eth_getBlockByNumber",
      "latest",
      false,
    );
    expect(transactions).toHaveLength(count);
    hashes.push(hash);
  }
});

afterAll(() => anvil?.stop());

describe("the receipts of real blocks", () => {
  it("hash to the root in the header, whatever their number, kinds and logs", async () => {
    for (const hash of hashes) {
      const logs = await Effect.runPromise(proved(endpoint(), hash));
      const told = await anvil.rpc<{ data: Hex }[]>("eth_getLogs", { blockHash: hash });
      expect(logs.map(({ data }) => data)).toEqual(told.map(({ data }) => data));
    }
  });

  it("give the bloom of the header", async () => {
    for (const hash of hashes) {
      const header = await Effect.runPromise(headerByHash(endpoint(), hash));
      expect(logsBloom(await Effect.runPromise(provedLogs(endpoint(), header)))).toBe(
        header.logsBloom,
      );
    }
  });

  const lies: ReadonlyArray<readonly [string, (receipts: Receipt[]) => unknown]> = [
    ["the last one is missing", (receipts) => receipts.slice(0, -1)],
    ["a last log is missing that the bloom does not miss", (receipts) => without(receipts, 139)],
    ["two change positions", (receipts) => [receipts[1], receipts[0], ...receipts.slice(2)]],
    ["a status is another", (receipts) => receipts.with(3, { ...receipts[3]!, status: "0x0" })],
    ["they are no list", () => "nothing"],
    ["one is no receipt", (receipts) => receipts.with(5, {} as Receipt)],
  ];
  for (const [what, lie] of lies) {
    it(`are refused when ${what}`, async () => {
      const outcome = await Effect.runPromise(Effect.result(proved(endpoint(lie), hashes.at(-1)!)));
      expect(Result.isFailure(outcome) && outcome.failure).toMatchObject({ reason: "BadData" });
    });
  }
});

interface Receipt {
  readonly status: Hex;
  readonly logs: ReadonlyArray<unknown>;
}

/** The receipts, one of them without its logs. */
function without(receipts: Receipt[], index: number): Receipt[] {
  const receipt = receipts[index]!;
  expect(receipt.logs).toHaveLength(1);
  return receipts.with(index, { ...receipt, logs: [] });
}

const proved = (asked: Endpoint, hash: Hex) =>
  Effect.flatMap(headerByHash(asked, hash), (header) => provedLogs(asked, header));

function endpoint(lie: (receipts: Receipt[]) => unknown = (receipts) => receipts): Endpoint {
  return {
    name: "anvil",
    request: (method, params) =>
      Effect.promise(async () => {
        const answer = await anvil.rpc<Receipt[]>(method, ...params);
        return method === "eth_getBlockReceipts" ? lie(answer) : answer;
      }),
  };
}
