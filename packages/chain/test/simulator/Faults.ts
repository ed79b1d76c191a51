import type { RandomSource } from "@millrace/testing";

/** All kinds of fault, each with its chance where it is rare and where it is common. */
const KINDS = {
  // Connections: chances per request.
  refused: [0.01, 0.08],
  hangs: [0.002, 0.02],
  slow: [0.02, 0.1],
  tooLarge: [0.005, 0.04],
  tooManyRequests: [0.01, 0.06],
  serverError: [0.01, 0.06],
  html: [0.005, 0.04],
  truncated: [0.005, 0.04],
  rpcError: [0.01, 0.06],
  wrongId: [0.005, 0.03],
  // Answers of nodes: chances per answer that could have the fault.
  nullBlock: [0.01, 0.05],
  otherBlock: [0.005, 0.03],
  mangledHeader: [0.005, 0.03],
  missingLogs: [0.03, 0.2],
  duplicatedLogs: [0.03, 0.15],
  removedLogs: [0.03, 0.15],
  unsortedLogs: [0.03, 0.15],
  mangledLogs: [0.01, 0.05],
  emptyCall: [0.02, 0.1],
  reorganisedBetween: [0.005, 0.03],
  // Nodes and endpoints: chances per tick.
  lag: [0.1, 0.4],
  fork: [0.03, 0.12],
  outage: [0.01, 0.04],
  wrongChain: [0.01, 0.05],
  // Announcements: chances per announcement.
  droppedHead: [0.05, 0.4],
  duplicatedHead: [0.05, 0.3],
  delayedHead: [0.05, 0.3],
  mangledHead: [0.02, 0.1],
  socketCloses: [0.02, 0.1],
  socketDies: [0.01, 0.05],
  // Disk: chances per operation; the last two per stop.
  noSpace: [0.03, 0.2],
  inputOutput: [0.02, 0.1],
  failedSync: [0.03, 0.2],
  powerLoss: [0.3, 0.8],
  bitRot: [0.2, 0.6],
} as const;

export type FaultKind = keyof typeof KINDS;

export const FAULT_KINDS = Object.keys(KINDS) as ReadonlyArray<FaultKind>;

/** The faults of a run with their chances, and how often each has struck. */
export class Faults {
  readonly struck = new Map<FaultKind, number>();
  readonly #rates = new Map<FaultKind, number>();
  readonly #dice: RandomSource;

  /** Each kind never, rarely or often; one run in eight has none at all. */
  constructor(dice: RandomSource) {
    this.#dice = dice;
    const calm = dice.chance(1 / 8);
    const share = dice.pick([0.15, 0.4, 0.7]);
    for (const kind of FAULT_KINDS) {
      const [rare, often] = KINDS[kind];
      const rate = dice.chance(share) ? (dice.chance(0.3) ? often : rare) : 0;
      this.#rates.set(kind, calm ? 0 : rate);
    }
  }

  /** True when the fault strikes now. */
  strikes(kind: FaultKind): boolean {
    if (!this.#dice.chance(this.#rates.get(kind)!)) return false;
    this.count(kind);
    return true;
  }

  count(kind: FaultKind): void {
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
  }

  never(kind: FaultKind): void {
    this.#rates.set(kind, 0);
  }

  always(kind: FaultKind): void {
    this.#rates.set(kind, 1);
  }

  heal(): void {
    this.#rates.forEach((_, kind) => {
      this.#rates.set(kind, 0);
    });
  }
}
