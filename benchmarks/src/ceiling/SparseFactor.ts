/**
 * Solves symmetric positive definite systems of one sparsity pattern by LDLᵀ: the pattern is
 * eliminated once, lowest degree first, and each system then only redoes the arithmetic.
 */
export class SparseFactor {
  /** Eliminated first to last; index: place. */
  readonly #order: Int32Array;
  /** Below the diagonal of each place's column: first entry, one more than places. */
  readonly #start: Int32Array;
  readonly #row: Int32Array; // index: entry; the row's node
  /** Where entry (row i, row j) of a column is subtracted: entries, or −1 − node for a diagonal. */
  readonly #targets: Int32Array;
  readonly #targetStart: Int32Array; // index: place
  readonly #place: Int32Array; // index: node
  readonly #lower: Float64Array; // index: entry
  readonly #diagonal: Float64Array; // index: node

  constructor(nodeCount: number, links: Iterable<readonly [number, number]>) {
    const { order, columns } = eliminate(nodeCount, links);
    this.#order = order;
    this.#place = new Int32Array(nodeCount);
    for (let place = 0; place < nodeCount; place++) this.#place[order[place]!] = place;
    this.#start = new Int32Array(nodeCount + 1);
    this.#targetStart = new Int32Array(nodeCount + 1);
    for (let place = 0; place < nodeCount; place++) {
      const height = columns[place]!.length;
      columns[place]!.sort((a, b) => this.#place[a]! - this.#place[b]!);
      this.#start[place + 1] = this.#start[place]! + height;
      this.#targetStart[place + 1] = this.#targetStart[place]! + (height * (height + 1)) / 2;
    }
    this.#row = Int32Array.from(columns.flat());
    this.#targets = new Int32Array(this.#targetStart[nodeCount]!);
    this.#lower = new Float64Array(this.#row.length);
    this.#diagonal = new Float64Array(nodeCount);
    this.#findTargets();
  }

  /** The entry that couples two linked nodes, to add to with `addCoupling`. */
  entryOf(a: number, b: number): number {
    const first = this.#place[a]! < this.#place[b]! ? a : b;
    const second = first === a ? b : a;
    const place = this.#place[first]!;
    for (let entry = this.#start[place]!; entry < this.#start[place + 1]!; entry++) {
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

  /** Replaces `right` by the solution; the system is used up. */
  solve(right: Float64Array): void {
    this.#factor();
    const count = this.#order.length;
    for (let place = 0; place < count; place++) {
      const value = right[this.#order[place]!]!;
      if (value === 0) continue;
      for (let entry = this.#start[place]!; entry < this.#start[place + 1]!; entry++) {
        right[this.#row[entry]!]! -= this.#lower[entry]! * value;
      }
    }
    for (let place = count - 1; place >= 0; place--) {
      const node = this.#order[place]!;
      let value = right[node]! / this.#diagonal[node]!;
      for (let entry = this.#start[place]!; entry < this.#start[place + 1]!; entry++) {
        value -= this.#lower[entry]! * right[this.#row[entry]!]!;
      }
      right[node] = value;
    }
  }

  #factor(): void {
    const lower = this.#lower;
    const targets = this.#targets;
    for (let place = 0; place < this.#order.length; place++) {
      const pivot = this.#diagonal[this.#order[place]!]!;
      const end = this.#start[place + 1]!;
      let target = this.#targetStart[place]!;
      for (let i = this.#start[place]!; i < end; i++) {
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
    // Column by column of the targets, so that each column's rows are looked up once.
    const pending: number[][] = this.#placeLists();
    for (let place = 0; place < this.#order.length; place++) {
      for (let entry = this.#start[place]!; entry < this.#start[place + 1]!; entry++) {
        entryAt[this.#row[entry]!] = entry;
      }
      for (const source of pending[place]!) this.#aim(source, place, entryAt);
    }
  }

  /** For each place, the places whose columns hold its node. */
  #placeLists(): number[][] {
    const lists: number[][] = Array.from(this.#order, () => []);
    for (let place = 0; place < this.#order.length; place++) {
      for (let entry = this.#start[place]!; entry < this.#start[place + 1]!; entry++) {
        lists[this.#place[this.#row[entry]!]!]!.push(place);
      }
    }
    return lists;
  }

  /** Targets of the products of the source's entry in row `node(place)` with those below it. */
  #aim(source: number, place: number, entryAt: Int32Array): void {
    const start = this.#start[source]!;
    const end = this.#start[source + 1]!;
    let target = this.#targetStart[source]!;
    for (let i = start; i < end; i++) {
      if (this.#place[this.#row[i]!] === place) {
        for (let j = i + 1; j < end; j++) this.#targets[target + j - i] = entryAt[this.#row[j]!]!;
        return;
      }
      target += end - i;
    }
  }
}

/** Nodes in an order of low fill, each with the later nodes that its column reaches. */
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
    // A node is enqueued anew whenever its degree changes; older places in queues are stale.
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
