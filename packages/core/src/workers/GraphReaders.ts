import type { PoolGraph } from "../graph/PoolGraph.ts";
import { onWritten } from "../graph/writeSequence.ts";
import { GraphPublisher } from "./GraphPublisher.ts";
import type { GraphUpdate } from "./messages.ts";

type Post = (update: GraphUpdate) => void;

/** Threads that read a graph at any time, and receive an update at the end of each write. */
export class GraphReaders {
  readonly #graph: PoolGraph;
  readonly #posts = new Set<Post>();
  readonly #publisher: GraphPublisher;
  readonly #unsubscribe: () => void;

  constructor(graph: PoolGraph) {
    this.#graph = graph;
    this.#publisher = new GraphPublisher(graph, true);
    this.#publisher.next();
    this.#unsubscribe = onWritten(graph, this.#written);
  }

  /** `post`, which must not throw, receives the whole graph, and then the changes of each write. */
  add(post: Post): () => void {
    post(new GraphPublisher(this.#graph, true).next()!);
    this.#posts.add(post);
    return () => void this.#posts.delete(post);
  }

  close(): void {
    this.#unsubscribe();
    this.#posts.clear();
  }

  readonly #written = (): void => {
    const update = this.#publisher.next();
    if (update === undefined) return;
    for (const post of this.#posts) post(update);
    // Wakes threads that wait for the end of the write.
    Atomics.notify(this.#graph.writeSequence, 0);
  };
}
