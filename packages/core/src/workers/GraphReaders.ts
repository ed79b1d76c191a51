import type { PoolGraph } from "../graph/PoolGraph.ts";
import { onWritten } from "../graph/writeSequence.ts";
import { GraphPublisher } from "./GraphPublisher.ts";
import type { GraphUpdate } from "./messages.ts";

type Post = (update: GraphUpdate) => void;

/** Threads that read a graph whenever they like, and are told of each write when it ends. */
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

  /** `post`, which must not throw, gets all of the graph, and what each write changes. */
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
    // For those who wait for the end of the write.
    Atomics.notify(this.#graph.writeSequence, 0);
  };
}
