import { App, us_socket_local_port } from "uWebSockets.js";
import { readFileSync } from "node:fs";

// A program: answers every quote with the one of a file, its tokens and amount as they were asked.
// Reading, parsing and writing are what any server has to do; there is no search.
interface Asked {
  readonly tokenA: string;
  readonly tokenB: string;
  readonly amountIn: string;
}

const answer = JSON.parse(readFileSync(process.argv[2]!, "utf8"));

App()
  .post("/:network/quote", (response) => {
    let aborted = false;
    let collected: Buffer | undefined;
    response.onAborted(() => {
      aborted = true;
    });
    response.onData((chunk, isLast) => {
      // The chunk is only valid in this call: what has to wait is copied.
      const part = Buffer.from(chunk);
      const body = collected === undefined ? part : Buffer.concat([collected, part]);
      if (!isLast) {
        collected = Buffer.from(body);
        return;
      }
      const asked = JSON.parse(body.toString()) as Asked;
      answer.tokenA = asked.tokenA;
      answer.tokenB = asked.tokenB;
      answer.amountIn = asked.amountIn;
      if (aborted) return;
      response.cork(() => {
        response.writeHeader("content-type", "application/json").end(JSON.stringify(answer));
      });
    });
  })
  .listen("127.0.0.1", 0, (socket) => {
    if (socket === false) throw new Error("no port to listen on");
    process.stdout.write(`listens on http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });

// Whoever started it holds the other end: should they die, this must not stay.
process.stdin.resume().once("end", () => process.exit());
