import { Effect } from "effect";
import { type SentText, SentTextMaking } from "../answers/SentText.ts";
import { TurnQueue } from "../quote/TurnQueue.ts";

/** Length of a slice of work on a text, after which others get their turn. */
const SLICE_MS = 0.5;
/** Bytes of all kept texts, without their compressed forms. */
const KEPT_BYTES_MAX = 32 * 2 ** 20;
/** Memory that a kept text takes beside its bytes, about. */
const ENTRY_BYTES = 1_024;

/** A list to be written. */
export interface ListText {
  /** The request, in one form. */
  readonly name: string;
  /** What the text is made from: the text is valid as long as this stays the same. */
  readonly version: unknown;
  /** The parts of the text, each made in a fraction of 1 ms; the first also finds the entries. */
  readonly parts: () => Iterator<string>;
}

interface Kept {
  readonly version: unknown;
  readonly text: Promise<SentText>;
  bytes: number;
}

/**
 * Texts of lists, each made once for all clients until the list changes: in slices, one in each
 * turn of the event loop. Clients take turns.
 */
export class ListTexts {
  readonly #turns = new TurnQueue();
  /** Key: name; the least recently requested first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The text, and whether an earlier request had it made already. */
  get(
    { name, version, parts }: ListText,
    client: string,
  ): Effect.Effect<{ readonly text: SentText; readonly isKept: boolean }> {
    return Effect.suspend(() => {
      const known = this.#kept.get(name);
      const isKept = known !== undefined && known.version === version;
      if (known !== undefined) this.#forget(name, known);
      const kept = isKept ? known : { version, text: this.#make(parts(), client), bytes: 0 };
      this.#kept.set(name, kept);
      this.#bytes += kept.bytes;
      if (!isKept) this.#follow(name, kept);
      return Effect.map(
        Effect.promise(() => kept.text),
        (text) => ({ text, isKept }),
      );
    });
  }

  /** Goes on when the client is gone: others may wait for the text. */
  #make(parts: Iterator<string>, client: string): Promise<SentText> {
    const making = new SentTextMaking();
    const slice = (): SentText | undefined => {
      const endMs = performance.now() + SLICE_MS;
      for (let part = parts.next(); !part.done; part = parts.next()) {
        making.add(part.value);
        if (performance.now() >= endMs) return undefined;
      }
      return making.end();
    };
    const all: Effect.Effect<SentText> = Effect.flatMap(
      this.#turns.compute(client, slice),
      (text) => (text === undefined ? all : Effect.succeed(text)),
    );
    return Effect.runPromise(all);
  }

  /** Counts the bytes of a finished text; a text that failed is not kept. */
  #follow(name: string, kept: Kept): void {
    const isHere = () => this.#kept.get(name) === kept;
    kept.text.then(
      ({ bytes }) => {
        if (!isHere()) return;
        kept.bytes = ENTRY_BYTES + bytes.length;
        this.#bytes += kept.bytes;
        for (const [oldest, one] of this.#kept) {
          if (this.#bytes <= KEPT_BYTES_MAX || one === kept) break;
          this.#forget(oldest, one);
        }
      },
      () => {
        if (isHere()) this.#forget(name, kept);
      },
    );
  }

  #forget(name: string, { bytes }: Kept): void {
    this.#kept.delete(name);
    this.#bytes -= bytes;
  }
}
