import type { Address } from "@millrace/core";
import { encodeReserves, type Hex, protocols } from "@millrace/protocols";
import { beforeEach, describe, expect, it } from "vitest";
import { Admissions } from "../../src/follow/Admissions.ts";
import type { BlockContent } from "../../src/follow/BlockContent.ts";
import { Dexes } from "../../src/follow/Dexes.ts";
import type { Header } from "../../src/follow/Header.ts";
import { Mirror } from "../../src/follow/Mirror.ts";
import { Refusals } from "../../src/follow/Refusals.ts";

const OLD = addressOf(0xaa);
const NEW = addressOf(0xbb);
const DEX = {
  ...{ id: "TEST_V2", name: "Test V2", protocol: "constant-product" },
  ...{ factory: addressOf(0xfa), feePips: 3_000, startBlock: 0 },
};
const TOKENS = [addressOf(1), addressOf(2)].map((token) => ({
  ...{ address: token, decimals: 18, symbol: "T", name: "Token" },
}));
const FIRST = headerAt(100, "a");
const NO_PAST = { keptTo: -1, checkpoints: [] };
const REASON = "for a test";

let admissions: Admissions;
let mirror: Mirror;

/** A market with one pool. */
const reset = () => {
  const discovered = [{ listing: listingOf(OLD), createdBlock: 1 }];
  const states = [{ pool: OLD, state: encodeReserves([7n, 7n]) }];
  mirror.reset(
    { header: FIRST, discovered, refusals: new Refusals(), tokens: TOKENS, states },
    NO_PAST,
  );
};

beforeEach(() => {
  admissions = new Admissions(0, []);
  const dexes = new Dexes([DEX], protocols);
  mirror = new Mirror({ dexes, admissions, journalDepth: 3 });
  reset();
});

const readOld = (hash: Hex) =>
  mirror.load(hash, {
    ...{ tokens: [], refused: new Map() },
    states: [{ pool: OLD, state: encodeReserves([5n, 6n]) }],
  });

describe("a pool that is barred", () => {
  it("stays out, whatever is read, reverted or begun anew, until it is pardoned", () => {
    mirror.commit(blockOf("a"));
    expect(mirror.bar(OLD, REASON).removedPools).toEqual([OLD]);
    mirror.rewind(FIRST.hash);
    mirror.commit(blockOf("b"));
    readOld(headerAt(101, "b").hash);
    expect(mirror.pools.has(OLD)).toBe(false);
    reset();
    readOld(FIRST.hash);
    admissions.reconsider();
    expect(mirror.pools.has(OLD)).toBe(false);
    expect([admissions.waitingCount, admissions.refusals.get(OLD)]).toEqual([0, REASON]);
    admissions.pardoned(OLD);
    expect(admissions.next(9)).toEqual([OLD]);
    readOld(FIRST.hash);
    expect(mirror.pools.has(OLD)).toBe(true);
    expect(admissions.refusals.size).toBe(0);
  });

  it("is as any other again once its creation is reverted, however deep", () => {
    for (const revert of [() => mirror.rewind(FIRST.hash), reset]) {
      mirror.commit(blockOf("a", NEW));
      mirror.bar(NEW, REASON);
      revert();
      expect([admissions.isBarred(NEW), admissions.refusals.size]).toEqual([false, 0]);
      mirror.commit(blockOf("b", NEW));
      expect(mirror.pools.has(NEW)).toBe(true);
      mirror.rewind(FIRST.hash);
    }
  });
});

/** Block 101 of a branch, which may create a pool. */
function blockOf(branch: string, created?: Address): BlockContent {
  const place = { block: 101, logIndex: 0, created: encodeReserves([1n, 1n]) };
  return {
    header: headerAt(101, branch),
    ...{ logs: [], refused: [], tokens: [] },
    creations: created === undefined ? [] : [{ listing: listingOf(created), ...place }],
    readings: { states: new Map(), answers: new Map() },
  };
}

function headerAt(number: number, branch: string): Header {
  const hash: Hex = `0x${branch}${String(number).padStart(63, "0")}`;
  const parentHash: Hex = `0xa${String(number - 1).padStart(63, "0")}`;
  const timestampMs = number * 1_000;
  return { number, hash, parentHash, timestampMs, logsBloom: "0x", receiptsRoot: undefined };
}

function listingOf(pool: Address) {
  const tokens = TOKENS.map(({ address }) => address);
  return { address: pool, dexId: DEX.id, tokens, feePips: 3_000, parameter: 0 };
}

function addressOf(byte: number): Address {
  return `0x${byte.toString(16).padStart(40, "0")}`;
}
