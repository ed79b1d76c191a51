import { RawSocket } from "./RawSocket.ts";

// A program: subscribes over some connections, and reports the updates. The id of each operation is
// its index. The first message to it holds the operations of each connection, as texts; it answers
// when all subscriptions are active. It answers every further message with the updates since the
// last one, which it parses only then.
const port = Number(process.argv[2]);

/** One update. */
export interface Heard {
  readonly operation: number;
  readonly block: number;
  readonly seq: number;
  readonly sentAtUs: number;
  /** When its last bytes were read. */
  readonly receivedAtUs: number;
  readonly bytes: number;
  /** The price in `data`, where it has one. */
  readonly price: number | undefined;
}

interface Kept {
  readonly connection: number;
  readonly text: string;
  readonly receivedAtUs: number;
}

let kept: Kept[] = [];
/** By connection, the operations of its subscriptions. */
const operationOf: Array<Map<string, number>> = [];

process.once("message", (operations: ReadonlyArray<ReadonlyArray<string>>) => {
  let left = operations.flat().length;
  for (const [connection, texts] of operations.entries()) {
    const names = new Map<string, number>();
    operationOf.push(names);
    const socket = new RawSocket(port, {
      open: () => {
        for (const text of texts) socket.send(text);
      },
      text: (bytes, start, end) => {
        const receivedAtUs = 1_000 * (performance.timeOrigin + performance.now());
        const text = bytes.toString("latin1", start, end);
        if (text.startsWith('{"op":"update"')) kept.push({ connection, text, receivedAtUs });
        else if (text.startsWith('{"op":"subscribed"')) {
          const { id, subscription } = JSON.parse(text);
          names.set(subscription, id);
        } else if (text.startsWith('{"op":"snapshot"')) {
          if (--left === 0) process.send!("ready");
        } else if (text.startsWith('{"op":"error"')) throw new Error(text);
      },
      ended: (why) => {
        throw new Error(`a connection ended: ${why}`);
      },
    });
  }
  process.on("message", () => {
    const heard = kept.map(read);
    kept = [];
    process.send!(heard);
  });
});

process.once("disconnect", () => process.exit());

function read({ connection, text, receivedAtUs }: Kept): Heard {
  const { subscription, blockNumber, seq, sentAt, data } = JSON.parse(text);
  return {
    operation: operationOf[connection]!.get(subscription)!,
    block: Number(blockNumber),
    seq,
    sentAtUs: sentAt,
    receivedAtUs,
    bytes: text.length,
    price: data.price,
  };
}
