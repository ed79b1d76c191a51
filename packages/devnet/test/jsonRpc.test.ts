import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JsonRpc } from "../src/node/JsonRpc.ts";

/** Answers one request on each connection, and resets it at the next. */
const node = createServer((request, response) => {
  request.resume();
  const { socket } = request;
  if (served.has(socket)) {
    socket.resetAndDestroy();
    return;
  }
  served.add(socket);
  response.end('{"jsonrpc":"2.0","id":0,"result":7}');
});
const served = new WeakSet<object>();
let url: string;

beforeAll(async () => {
  node.listen(0, "127.0.0.1");
  await once(node, "listening");
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
afterAll(() => {
  node.closeAllConnections();
  node.close();
});

describe("requests to the devnet's node", () => {
  it("are sent again where the node had closed the connection meanwhile", async () => {
    const rpc = new JsonRpc(url, 1);
    for (let count = 0; count < 4; count++) expect(await rpc.request("any", [])).toBe(7);
  });
});
