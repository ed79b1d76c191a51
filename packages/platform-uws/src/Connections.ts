import { readPeers } from "./readPeers.ts";

/** How many connections a server takes, HTTP and WebSockets together. */
export interface ConnectionRules {
  /** Of all. By default three quarters of the descriptors that the process may have. */
  readonly max?: number;
  /** Of one peer, where the system tells whose they are. By default a quarter of all. */
  readonly ofPeerMax?: number;
  /**
   * What counts as one peer, by its address; undefined for who speaks for many and is not limited.
   * By default each address is one.
   */
  readonly peerOf?: (address: string) => string | undefined;
  /** Threads that share the port, each with rules of its own. By default 1. */
  readonly sharers?: number;
  /** Connections that the other ones have open. By default 0. */
  readonly ofOthers?: () => number;
  /** Called when the count of open connections has changed; must not throw. */
  readonly onCount?: (open: number) => void;
  /** Called when one is refused: since there are too many of all, or of its peer. */
  readonly onRefused?: (reason: "all" | "peer") => void;
}

/** Counts again not sooner: it takes milliseconds for many thousands. */
const RECOUNT_MS = 1_000;
/** Of what a peer may have: from here on it is counted again, before any is refused. */
const SUSPICIOUS_SHARE = 0.75;

/**
 * The open connections. The native library tells how many there are, but not whose one was that has
 * closed: what is counted of a peer is at least what it has, and when that looks like too much, the
 * system is asked. At the limit of descriptors a process spins, and answers nobody.
 */
export class Connections {
  readonly #rules: Required<ConnectionRules>;
  #open = 0;
  /** By peer: at least what it has open. */
  #ofPeer = new Map<string, number>();
  /** Those that were opened while the system is asked. */
  #meanwhile: Map<string, number> | undefined;
  #recountedMs = Number.NEGATIVE_INFINITY;
  #port: number | undefined;

  constructor(rules: ConnectionRules = {}) {
    const { max = defaultMax() } = rules;
    this.#rules = {
      max,
      ofPeerMax: Math.ceil(max / 4),
      peerOf: (address) => address,
      sharers: 1,
      ofOthers: () => 0,
      onCount: () => {},
      onRefused: () => {},
      ...rules,
    };
  }

  /** Begins to tell peers apart, by the port that they are connected to. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** One has opened, and counts until `closed`; false where it is to be closed at once. */
  opened(address: string): boolean {
    const { max, ofPeerMax, sharers, ofOthers, onCount, onRefused, peerOf } = this.#rules;
    onCount(++this.#open);
    const ofAll = this.#open + ofOthers();
    if (ofAll > max) {
      onRefused("all");
      return false;
    }
    const peer = peerOf(address);
    if (peer === undefined || this.#port === undefined) return true;
    const count = add(this.#ofPeer, peer);
    if (this.#meanwhile !== undefined) add(this.#meanwhile, peer);
    // What this thread counts may be a part of what the peer has; the system tells of all.
    const suspicious = (SUSPICIOUS_SHARE * ofPeerMax) / sharers;
    if (count > suspicious || this.#ofPeer.size > 2 * max) this.#recount();
    // A peer has no more than all have: what came and went may still be in its count.
    if (count <= ofPeerMax || ofAll <= ofPeerMax) return true;
    this.#ofPeer.set(peer, count - 1);
    onRefused("peer");
    return false;
  }

  closed(): void {
    this.#rules.onCount(--this.#open);
  }

  #recount(): void {
    const nowMs = performance.now();
    if (this.#meanwhile !== undefined || nowMs - this.#recountedMs < RECOUNT_MS) return;
    const meanwhile = new Map<string, number>();
    this.#meanwhile = meanwhile;
    this.#ask(this.#port!).then(
      (found) => {
        for (const [peer, count] of meanwhile) found.set(peer, (found.get(peer) ?? 0) + count);
        this.#ofPeer = found;
        this.#meanwhile = undefined;
        this.#recountedMs = performance.now();
      },
      () => {
        // Nobody tells: then nobody's are too many.
        this.#port = undefined;
        this.#ofPeer.clear();
      },
    );
  }

  async #ask(port: number): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for await (const address of readPeers(port)) {
      const peer = this.#rules.peerOf(address);
      if (peer !== undefined) add(found, peer);
    }
    return found;
  }
}

function add(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** The others are for files, nodes and threads. */
const SHARE_OF_DESCRIPTORS = 0.75;

function defaultMax(): number {
  const { userLimits } = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | "unlimited" } };
  };
  const limit = userLimits?.open_files?.soft;
  if (typeof limit !== "number") return Number.POSITIVE_INFINITY;
  return Math.floor(SHARE_OF_DESCRIPTORS * limit);
}
