import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONGESTED, NumberFeed, openSession, pool, RULES, subscribe } from "./numberFeed.ts";

/** Events, in any order. */
const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("subscribe" as const),
      at: fc.nat(2),
      pool: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("unsubscribe" as const),
      at: fc.nat(2),
      nth: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("stall" as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("drain" as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("disconnect" as const), at: fc.nat(2) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("block" as const),
      changes: fc.array(fc.tuple(fc.nat(3), fc.nat(2)), { maxLength: 3 }),
      isReorganised: fc.boolean(),
    }),
  },
);

/** The messages of a subscription, and the changes of its value since. */
interface Model {
  readonly pool: string;
  readonly first: number;
  changes: number;
  told: number;
  seq: number;
  toldReorganisations: number;
}

describe("the subscriptions of a connection", () => {
  it("tells every reader each value once, in any order of what may happen", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const feed = new NumberFeed();
        const sessions = [0, 1, 2].map(() => ({
          ...openSession(feed),
          models: new Map<string, Model>(),
          count: 0,
          gone: false,
        }));
        const valueOf = (key: string) => feed.numbers.get(key) ?? 0;
        for (const step of acts) {
          if (step.act === "block") {
            const changes = step.changes.map(([name, value]) => [pool(name), value] as const);
            const after = new Map([...feed.numbers, ...changes]);
            for (const { models } of sessions) {
              for (const model of models.values()) {
                if (valueOf(model.pool) !== (after.get(model.pool) ?? 0)) model.changes++;
              }
            }
            feed.block(changes, step.isReorganised);
            for (const session of sessions) expectTold(session);
            continue;
          }
          const session = sessions[step.at]!;
          if (session.gone) continue;
          const { send, take, models, reader } = session;
          if (step.act === "subscribe") {
            send(subscribe(step.pool));
            const [answer, snapshot] = take();
            if (models.size >= RULES.subscriptionsMax) {
              expect(answer).toMatchObject({ op: "error", id: step.pool, code: "RATE_LIMITED" });
              continue;
            }
            const name = `s${++session.count}`;
            expect(answer).toEqual({
              op: "subscribed",
              id: step.pool,
              subscription: name,
              channel: "pool",
            });
            const value = valueOf(pool(step.pool));
            expect(snapshot).toMatchObject({
              op: "snapshot",
              subscription: name,
              seq: 0,
              data: value,
            });
            const { reorganisations } = feed.head.position;
            models.set(name, {
              pool: pool(step.pool),
              first: 0,
              changes: 0,
              told: value,
              seq: 0,
              toldReorganisations: reorganisations,
            });
          } else if (step.act === "unsubscribe") {
            const name = `s${step.nth}`;
            send({ op: "unsubscribe", id: "u", subscription: name });
            const [answer] = take();
            const expected = models.delete(name) ? "unsubscribed" : "error";
            expect(answer).toMatchObject({ op: expected, id: "u" });
          } else if (step.act === "stall") {
            reader.buffered = CONGESTED;
          } else if (step.act === "drain") {
            reader.buffered = 0;
            session.session.drained();
            expectTold(session);
          } else {
            session.gone = true;
            session.session.closed();
            models.clear();
          }
        }
        for (const session of sessions) if (!session.gone) session.session.closed();
        expect(feed.shared.size).toBe(0);

        function expectTold({ take, models, reader, gone }: (typeof sessions)[number]): void {
          const messages = take();
          if (gone || reader.buffered > 0) {
            expect(messages).toEqual([]);
            return;
          }
          const bySubscription = new Map(
            messages.map((message) => [message.subscription, message]),
          );
          expect(bySubscription.size).toBe(messages.length);
          for (const [name, model] of models) {
            const message = bySubscription.get(name);
            bySubscription.delete(name);
            if (model.changes === model.seq) {
              expect(message).toBe(undefined);
              continue;
            }
            expect(message).toMatchObject({
              op: "update",
              data: valueOf(model.pool),
              seq: model.changes,
            });
            const { stamp, reorganisations } = feed.head.position;
            expect(message.blockNumber).toBe(String(stamp.number));
            expect(message.reorg === true).toBe(reorganisations !== model.toldReorganisations);
            model.seq = model.changes;
            model.toldReorganisations = reorganisations;
          }
          expect([...bySubscription.keys()]).toEqual([]);
        }
      }),
      law("subscriptions tell each value once", 60).options,
    );
  });
});
