import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import { FlowPool, NO_ENTRY } from "./FlowPool.ts";
import { mergedFlows, type PoolFlow } from "./PoolFlow.ts";
import { packFlows, readFlows, unpackFlows, writeFlows } from "./packedFlows.ts";
import { WINDOWS } from "./TradedBlock.ts";
import { WindowTotals } from "./WindowTotals.ts";
import { LONGEST_WINDOW_STEPS, STEP_MAX, shortestWindow, WINDOW_STEPS } from "./windowSteps.ts";

const LAST_WINDOW = WINDOWS.length - 1;

/** One step of the ring over time, with the entries of its trades. */
interface Step {
  readonly step: number;
  first: number;
}

/**
 * Rolling windows of all pools and tokens, all ending with the same step of time: a ring of steps
 * with what traded in them, and the sums over each window. A swap is an entry, or a part of one,
 * and undoing takes it out: at any moment the sums are those of the entries. The end may move
 * either way and by any distance; entries stay until `drop`.
 */
export class Windows {
  readonly pools = new WindowTotals();
  readonly tokens = new WindowTotals();
  readonly #entries = new FlowPool();
  /** Steps with trades, ascending. */
  readonly #steps: Step[] = [];
  #end: number;

  constructor(end: number) {
    this.#end = end;
  }

  /** The step that all windows end with. */
  get end(): number {
    return this.#end;
  }

  get entryCount(): number {
    return this.#entries.count;
  }

  get byteLength(): number {
    return this.pools.byteLength + this.tokens.byteLength + this.#entries.byteLength;
  }

  /** Makes room for this many pools and tokens. */
  reserve(pools: number, tokens: number): void {
    this.pools.reserve(pools);
    this.tokens.reserve(tokens);
  }

  /** Adds the flows of a step, or removes them with a sign of -1. */
  add(step: number, flows: ReadonlyArray<PoolFlow>, sign: 1 | -1): void {
    if (flows.length === 0) return;
    const position = this.#positionOf(step);
    const isNew = this.#steps[position]?.step !== step;
    if (isNew) this.#steps.splice(position, 0, { step, first: NO_ENTRY });
    const list = this.#steps[position]!;
    const first = shortestWindow(step, this.#end);
    for (let at = 0; at < flows.length; at++) {
      const flow = flows[at]!;
      list.first = this.#entries.add(step, flow, sign, list.first);
      if (first >= 0) this.#count(flow, sign, first, LAST_WINDOW);
    }
  }

  /** Moves the end of all windows. */
  moveTo(end: number): void {
    const before = this.#end;
    if (end === before) return;
    this.#end = end;
    for (let window = 0; window < WINDOW_STEPS.length; window++) {
      const length = WINDOW_STEPS[window]!;
      const [oldFrom, from] = [before - length + 1, end - length + 1];
      // First the steps only in the old window, on either side; then those only in the new one.
      this.#countSteps(oldFrom, Math.min(before, from - 1), window, -1);
      this.#countSteps(Math.max(oldFrom, end + 1), before, window, -1);
      this.#countSteps(from, Math.min(end, oldFrom - 1), window, 1);
      this.#countSteps(Math.max(from, before + 1), end, window, 1);
    }
  }

  /** Forgets trades before a step, as no window will ever reach them again. */
  drop(before: number): void {
    // A step stays while a window has it.
    const from = Math.min(before, this.#end - LONGEST_WINDOW_STEPS + 1);
    const count = this.#positionOf(from);
    for (const { first } of this.#steps.splice(0, count)) this.#entries.free(first);
  }

  /**
   * Visits each entry from a step up to the end, in no order; a flow is valid for this call only.
   */
  visit(from: number, visitor: (step: number, flow: PoolFlow) => void): void {
    for (let position = this.#positionOf(from); position < this.#steps.length; position++) {
      const { step, first } = this.#steps[position]!;
      if (step > this.#end) return;
      for (let entry = first; entry !== NO_ENTRY; entry = this.#entries.next(entry)) {
        visitor(step, this.#entries.peek(entry));
      }
    }
  }

  /**
   * Writes what was counted, independent of the order in which it came and of what was undone: the
   * same bytes for the same swaps. Nothing may change before it is done.
   */
  *write(writer: ByteWriter): Generator<void> {
    for (const { step, first } of this.#steps) {
      yield;
      const flows = mergedFlows(this.#flowsOf(first));
      if (flows.length === 0) continue;
      writer.number(step + 1);
      writeFlows(writer, packFlows(flows));
    }
    writer.number(0); // the end
  }

  /** Windows that end with a step; `pools` and `tokens`: how many there are of each. */
  static read(reader: ByteReader, end: number, pools: number, tokens: number): Windows {
    const windows = new Windows(end);
    windows.reserve(pools, tokens);
    let before = -1;
    for (;;) {
      const step = reader.count(STEP_MAX + 1) - 1;
      if (step < 0) return windows;
      reader.check(step > before, "steps in their order");
      before = step;
      windows.add(step, unpackFlows(readFlows(reader, pools, tokens)), 1);
    }
  }

  #flowsOf(first: number): PoolFlow[] {
    const flows: PoolFlow[] = [];
    for (let entry = first; entry !== NO_ENTRY; entry = this.#entries.next(entry)) {
      flows.push({ ...this.#entries.peek(entry) });
    }
    return flows;
  }

  /** Adds or removes the steps of a range, both ends included, in one window. */
  #countSteps(from: number, to: number, window: number, sign: 1 | -1): void {
    if (from > to) return;
    for (let position = this.#positionOf(from); position < this.#steps.length; position++) {
      const { step, first } = this.#steps[position]!;
      if (step > to) return;
      for (let entry = first; entry !== NO_ENTRY; entry = this.#entries.next(entry)) {
        this.#count(this.#entries.peek(entry), sign, window, window);
      }
    }
  }

  #count(flow: PoolFlow, sign: 1 | -1, first: number, last: number): void {
    const value = sign * flow.value;
    const buys = sign * flow.buys;
    const sells = sign * flow.sells;
    const { pools, tokens } = this;
    pools.add(flow.pool, first, last, value, sign * flow.transactions, buys, sells);
    tokens.add(flow.token0, first, last, value, sign * flow.token0Transactions, buys, sells);
    // A sale of one token is a purchase of the other.
    tokens.add(flow.token1, first, last, value, sign * flow.token1Transactions, sells, buys);
  }

  /** The position of a step, or where it would be inserted. */
  #positionOf(step: number): number {
    const steps = this.#steps;
    let low = 0;
    let high = steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (steps[middle]!.step < step) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
