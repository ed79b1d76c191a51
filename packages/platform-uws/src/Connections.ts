import { readPeers } from "./readPeers.ts";

/** How many connections a server accepts, HTTP and WebSockets together. */
export interface ConnectionRules {
  /** Of all clients. By default three quarters of the process's file descriptors. */
  readonly max?: number;
  /** Of one peer, where the system lists connections. By default a quarter of all. */
  readonly ofPeerMax?: number;
  /**
   * Which peer an address belongs to; undefined for one that stands for many clients and is not
   * limited. By default each address is a peer.
   */
  readonly peerOf?: (address: string) => string | undefined;
  /** Threads that share the port, each with rules of its own. By default 1. */
  readonly sharers?: number;
  /** Connections that the other threads have open. By default 0. */
  readonly ofOthers?: () => number;
  /** Called when the number of open connections changes; must not throw. */
  readonly onCount?: (open: number) => void;
  /** Called when a connection is refused: too many of all, or too many of its peer. */
  readonly onRefused?: (reason: "all" | "peer") => void;
}

/** Least time between recounts; one takes milliseconds with many thousands of connections. */
const RECOUNT_MS = 1_000;
/** From this share of a peer's limit on, its connections are recounted before any is refused. */
const SUSPICIOUS_SHARE = 0.75;

/**
 * The open connections. The native library tells how many there are, but not which peer closed one.
 * So the count of a peer is an upper bound; when it looks too high, the operating system is asked.
 * At the limit of file descriptors a process spins and answers nobody.
 */
export class Connections {
  readonly #rules: Required<ConnectionRules>;
  #open = 0;
  /** Upper bound on the open connections of each peer. */
  #ofPeer = new Map<string, number>();
  /** Connections opened during a recount. */
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

  /** Begins to count by peer, from the connections to this port. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** Counts a new connection until `closed`; false where it must be closed at once. */
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
    // This thread may see only a part of the peer's connections; the system lists all.
    const suspicious = (SUSPICIOUS_SHARE * ofPeerMax) / sharers;
    if (count > suspicious || this.#ofPeer.size > 2 * max) this.#recount();
    // The count may include closed connections; a peer never has more than there are in all.
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
        // The system lists no connections: peers are not limited then.
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

/** The other descriptors are for files, nodes and threads. */
const SHARE_OF_DESCRIPTORS = 0.75;

function defaultMax(): number {
  const { userLimits } = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | "unlimited" } };
  };
  const limit = userLimits?.open_files?.soft;
  if (typeof limit !== "number") return Number.POSITIVE_INFINITY;
  return Math.floor(SHARE_OF_DESCRIPTORS * limit);
}
