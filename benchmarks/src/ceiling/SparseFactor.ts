/**
 * Solves symmetric positive definite systems of one sparsity pattern by LDLᵀ. It eliminates the
 * pattern once, lowest degree first; each system only redoes the arithmetic.
 */
export class SparseFactor {
  /** Nodes in the order of elimination; index: position. */
  readonly #order: Int32Array;
  /** The first entry below the diagonal of each position's column; one more than positions. */
  readonly #start: Int32Array;
  readonly #row: Int32Array; // index: entry; the row's node
  /**
   * Where the product of a column's rows i and j is subtracted: an entry, or −1 − node for a
   * diagonal.
   */
  readonly #targets: Int32Array;
  readonly #targetStart: Int32Array; // index: position
  readonly #position: Int32Array; // index: node
  readonly #lower: Float64Array; // index: entry
  readonly #diagonal: Float64Array; // index: node

  constructor(nodeCount: number, links: Iterable<readonly [number, number]>) {
    const { order, columns } = eliminate(nodeCount, links);
    this.#order = order;
    this.#position = new Int32Array(nodeCount);
    for (let position = 0; position < nodeCount; position++)
      this.#position[order[position]!] = position;
    this.#start = new Int32Array(nodeCount + 1);
    this.#targetStart = new Int32Array(nodeCount + 1);
    for (let position = 0; position < nodeCount; position++) {
      const height = columns[position]!.length;
      columns[position]!.sort((a, b) => this.#position[a]! - this.#position[b]!);
      this.#start[position + 1] = this.#start[position]! + height;
      this.#targetStart[position + 1] = this.#targetStart[position]! + (height * (height + 1)) / 2;
    }
    this.#row = Int32Array.from(columns.flat());
    this.#targets = new Int32Array(this.#targetStart[nodeCount]!);
    this.#lower = new Float64Array(this.#row.length);
    this.#diagonal = new Float64Array(nodeCount);
    this.#findTargets();
  }

  /** The entry that couples two linked nodes, for `addCoupling`. */
  entryOf(a: number, b: number): number {
    const first = this.#position[a]! < this.#position[b]! ? a : b;
    const second = first === a ? b : a;
    const position = this.#position[first]!;
    for (let entry = this.#start[position]!; entry < this.#start[position + 1]!; entry++) {
      if (this.#row[entry] === second) return entry;
    }
    throw new RangeError(`${a} and ${b} are not linked`);
  }

  /** Begins a system: diagonal as given, couplings 0. */
  begin(diagonal: Float64Array): void {
    this.#diagonal.set(diagonal);
    this.#lower.fill(0);
  }

  addDiagonal(node: number, value: number): void {
    this.#diagonal[node]! += value;
  }

  addCoupling(entry: number, value: number): void {
    this.#lower[entry]! += value;
  }

  /** Replaces `right` by the solution and uses the system up. */
  solve(right: Float64Array): void {
    this.#factor();
    const count = this.#order.length;
    for (let position = 0; position < count; position++) {
      const value = right[this.#order[position]!]!;
      if (value === 0) continue;
      for (let entry = this.#start[position]!; entry < this.#start[position + 1]!; entry++) {
        right[this.#row[entry]!]! -= this.#lower[entry]! * value;
      }
    }
    for (let position = count - 1; position >= 0; position--) {
      const node = this.#order[position]!;
      let value = right[node]! / this.#diagonal[node]!;
      for (let entry = this.#start[position]!; entry < this.#start[position + 1]!; entry++) {
        value -= this.#lower[entry]! * right[this.#row[entry]!]!;
      }
      right[node] = value;
    }
  }

  #factor(): void {
    const lower = this.#lower;
    const targets = this.#targets;
    for (let position = 0; position < this.#order.length; position++) {
      const pivot = this.#diagonal[this.#order[position]!]!;
      const end = this.#start[position + 1]!;
      let target = this.#targetStart[position]!;
      for (let i = this.#start[position]!; i < end; i++) {
        const value = lower[i]!;
        if (value === 0) {
          target += end - i;
          continue;
        }
        const scaled = value / pivot;
        this.#diagonal[this.#row[i]!]! -= value * scaled;
        target++;
        for (let j = i + 1; j < end; j++) lower[targets[target++]!]! -= scaled * lower[j]!;
        lower[i] = scaled;
      }
    }
  }

  #findTargets(): void {
    const entryAt = new Int32Array(this.#order.length); // index: node
    // By the targets' columns, so that each column's rows are looked up once.
    const pending: number[][] = this.#placeLists();
    for (let position = 0; position < this.#order.length; position++) {
      for (let entry = this.#start[position]!; entry < this.#start[position + 1]!; entry++) {
        entryAt[this.#row[entry]!] = entry;
      }
      for (const source of pending[position]!) this.#aim(source, position, entryAt);
    }
  }

  /** For each position, the positions whose columns hold its node. */
  #placeLists(): number[][] {
    const lists: number[][] = Array.from(this.#order, () => []);
    for (let position = 0; position < this.#order.length; position++) {
      for (let entry = this.#start[position]!; entry < this.#start[position + 1]!; entry++) {
        lists[this.#position[this.#row[entry]!]!]!.push(position);
      }
    }
    return lists;
  }

  /** Targets of the products of the source's entry in row `node(position)` with those below it. */
  #aim(source: number, position: number, entryAt: Int32Array): void {
    const start = this.#start[source]!;
    const end = this.#start[source + 1]!;
    let target = this.#targetStart[source]!;
    for (let i = start; i < end; i++) {
      if (this.#position[this.#row[i]!] === position) {
        for (let j = i + 1; j < end; j++) this.#targets[target + j - i] = entryAt[this.#row[j]!]!;
        return;
      }
      target += end - i;
    }
  }
}

/** Nodes in an order of low fill-in, each with the later nodes of its column. */
function eliminate(nodeCount: number, links: Iterable<readonly [number, number]>) {
  const neighbours = Array.from({ length: nodeCount }, () => new Set<number>());
  for (const [a, b] of links) {
    neighbours[a]!.add(b);
    neighbours[b]!.add(a);
  }
  const queues = Array.from({ length: nodeCount }, (): number[] => []); // index: degree
  const enqueue = (node: number) => queues[neighbours[node]!.size]!.push(node);
  for (let node = 0; node < nodeCount; node++) enqueue(node);
  const order = new Int32Array(nodeCount);
  const columns: number[][] = [];
  const isDone = new Uint8Array(nodeCount);
  for (let degree = 0; columns.length < nodeCount; ) {
    const node = queues[degree]!.pop();
    if (node === undefined) {
      degree++;
      continue;
    }
    // A node is enqueued anew whenever its degree changes; older positions in queues are stale.
    if (isDone[node] === 1 || neighbours[node]!.size !== degree) continue;
    isDone[node] = 1;
    order[columns.length] = node;
    const column = [...neighbours[node]!];
    columns.push(column);
    for (const one of column) {
      const around = neighbours[one]!;
      around.delete(node);
      for (const other of column) if (other !== one) around.add(other);
      enqueue(one);
      degree = Math.min(degree, around.size);
    }
  }
  return { order, columns };
}
