import type { FeedLog } from "@millrace/feed";
import { law } from "@millrace/testing";
import { Effect } from "effect";
import { assert, describe, expect, it } from "vitest";

const START = { epoch: 0, sequence: 0 };
const LONG_MS = 60_000;

/**
 * Laws of every log; `open` gives an empty log, and `other`, the same log over another connection.
 */
export function logLaws(
  where: string,
  open: () => Promise<{ readonly log: FeedLog; readonly other: FeedLog }>,
): void {
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect);
  const bytes = (...numbers: number[]) => Uint8Array.from(numbers);

  describe(`a log ${where}`, () => {
    it("leases to one holder at a time, each with a higher epoch", async () => {
      const { log, other } = await open();
      const first = (await run(log.acquire("a", LONG_MS, 0)))!;
      expect(await run(other.acquire("b", LONG_MS, 0))).toBeUndefined();
      expect(await run(log.renew(first, LONG_MS))).toBe(true);
      expect(await run(other.renew({ ...first, holder: "b" }, LONG_MS))).toBe(false);
      expect(await run(other.standing)).toEqual({ epoch: first.epoch, isLed: true });
      await run(log.release(first));
      expect(await run(other.standing)).toEqual({ epoch: first.epoch, isLed: false });
      const second = (await run(other.acquire("b", LONG_MS, first.epoch + 1_000_000)))!;
      expect(second.epoch).toBeGreaterThan(first.epoch + 1_000_000);
      expect(await run(log.renew(first, LONG_MS))).toBe(false);
    });

    it("ends a lease that is not renewed", async () => {
      const { log, other } = await open();
      const first = (await run(log.acquire("a", 30, 0)))!;
      await run(Effect.sleep(60));
      expect(await run(log.append(first, 1, bytes(1)))).toBe("Deposed");
      const second = (await run(other.acquire("b", LONG_MS, 0)))!;
      expect(second.epoch).toBeGreaterThan(first.epoch);
      expect(await run(log.saveSnapshot(first, { ...first, sequence: 1 }, [bytes(1)]))).toBe(
        "Deposed",
      );
      expect(await run(log.loadSnapshot)).toBeUndefined();
    });

    it("takes entries in their order, the same one again, and no other in its place", async () => {
      const { log, other } = await open();
      const lease = (await run(log.acquire("a", LONG_MS, 0)))!;
      expect(await run(log.append(lease, 2, bytes(2)))).toBe("Lost");
      expect(await run(log.append(lease, 1, bytes(1)))).toBe("Appended");
      expect(await run(log.append(lease, 1, bytes(1)))).toBe("Appended");
      expect(await run(log.append(lease, 1, bytes(9)))).toBe("Lost");
      expect(await run(log.append(lease, 3, bytes(3)))).toBe("Lost");
      expect(await run(log.append(lease, 2, bytes(2)))).toBe("Appended");
      await run(log.release(lease));
      const next = (await run(other.acquire("b", LONG_MS, 0)))!;
      expect(await run(log.append(lease, 3, bytes(3)))).toBe("Deposed");
      expect(await run(other.append(next, 3, bytes(3)))).toBe("Lost");
      expect(await run(other.append(next, 1, bytes(4)))).toBe("Appended");
      const records = await run(other.read(START, 0));
      expect(records.map(({ position, bytes: [byte] }) => [position, byte])).toEqual([
        [{ epoch: lease.epoch, sequence: 1 }, 1],
        [{ epoch: lease.epoch, sequence: 2 }, 2],
        [{ epoch: next.epoch, sequence: 1 }, 4],
      ]);
      expect(await run(other.read(records[1]!.position, 0))).toEqual([records[2]]);
      expect(await run(other.read(records[2]!.position, 0))).toEqual([]);
    });

    it("wakes who waits for an entry, and lets others ask meanwhile", async () => {
      const { log, other } = await open();
      const lease = (await run(log.acquire("a", LONG_MS, 0)))!;
      expect(await run(other.read(START, 20))).toEqual([]);
      const read = run(other.read(START, LONG_MS));
      expect((await run(other.standing)).isLed).toBe(true);
      await run(log.append(lease, 1, bytes(7)));
      expect((await read).map((record) => record.bytes[0])).toEqual([7]);
    });

    it("gives back any bytes, in entries and in pieces of snapshots", async () => {
      const { log, other } = await open();
      const random = law(`bytes of a log ${where}`, 5).random();
      const lease = (await run(log.acquire("a", LONG_MS, 0)))!;
      const lengths = [0, 1, 255, 70_000, 1_100_000];
      const all = lengths.map((length) => Uint8Array.from({ length }, () => random.integer(256)));
      for (const [index, each] of all.entries()) {
        assert.equal(await run(log.append(lease, index + 1, each)), "Appended");
      }
      const records = await run(other.read(START, 0));
      for (const [index, each] of all.entries()) {
        assert.equal(Buffer.compare(records[index]!.bytes, each), 0);
      }
      for (const pieces of [all.slice(1), all.slice(3), all.slice(3)]) {
        const position = { epoch: lease.epoch, sequence: pieces.length };
        assert.equal(await run(log.saveSnapshot(lease, position, pieces)), "Appended");
        const loaded = (await run(other.loadSnapshot))!;
        assert.equal(loaded.length, pieces.length);
        for (const [index, piece] of loaded.entries()) {
          assert.equal(Buffer.compare(piece, pieces[index]!), 0);
        }
      }
    });

    it("deposes a leader whose epoch somebody has seen a higher one than", async () => {
      const { log, other } = await open();
      const lease = (await run(log.acquire("a", LONG_MS, 0)))!;
      await run(other.depose(lease.epoch - 1));
      expect(await run(log.renew(lease, LONG_MS))).toBe(true);
      await run(other.depose(lease.epoch + 5));
      expect(await run(log.append(lease, 1, bytes(1)))).toBe("Deposed");
      expect((await run(log.acquire("a", LONG_MS, 0)))!.epoch).toBeGreaterThan(lease.epoch + 5);
    });

    it("hands what was asked for to the leader, once", async () => {
      const { log, other } = await open();
      const lease = (await run(log.acquire("a", LONG_MS, 0)))!;
      await run(other.ask({ fromBlock: 5, toBlock: 9 }));
      await run(other.ask({ fromBlock: 11, toBlock: 11 }));
      expect(await run(other.takeAsked({ ...lease, holder: "b" }))).toEqual([]);
      expect(await run(log.takeAsked(lease))).toEqual([
        { fromBlock: 5, toBlock: 9 },
        { fromBlock: 11, toBlock: 11 },
      ]);
      expect(await run(log.takeAsked(lease))).toEqual([]);
    });
  });
}
