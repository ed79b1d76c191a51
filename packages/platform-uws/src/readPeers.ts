import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { peerAddress } from "./webSocket/peerAddress.ts";

/** Linux lists its connections here, one a line. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const WORD_DIGITS = 8;

/**
 * The peers of the connections to a local port that a process owns, as `peerAddress` writes them.
 * Fails where the system gives no list.
 */
export async function* readPeers(port: number): AsyncGenerator<string> {
  for (const table of TABLES) {
    for await (const line of createInterface({ input: createReadStream(table) })) {
      const peer = peerIn(line, port);
      if (peer !== undefined) yield peer;
    }
  }
}

/**
 * The peer in a line such as `0: 0100007F:1F90 0200007F:C350 01 … inode …`; the inode is 0 if no
 * process owns the connection.
 */
function peerIn(line: string, port: number): string | undefined {
  const [, local = "", remote = "", state, , , , , , inode] = line.trim().split(/\s+/u);
  if (state === LISTENING || inode === "0") return undefined;
  if (Number.parseInt(local.split(":")[1] ?? "", 16) !== port) return undefined;
  return peerAddress(bytesOf(remote.split(":")[0]!));
}

const LISTENING = "0A";

/** The bytes of four-byte words in this machine's byte order. */
function bytesOf(words: string): ArrayBuffer {
  const numbers = words.match(new RegExp(`.{${WORD_DIGITS}}`, "gu")) ?? [];
  return Uint32Array.from(numbers, (word) => Number.parseInt(word, 16)).buffer;
}
