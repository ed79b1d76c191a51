import { App, us_socket_local_port } from "uWebSockets.js";
import { readFileSync } from "node:fs";

// A program: answers every request with the quote of a file, with the request's tokens and amount.
// It reads, parses and writes as any server must, but does not search.
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
      // The chunk is only valid in this call, so it is copied.
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

// The parent holds the other end of this pipe: if it dies, this process must not stay.
process.stdin.resume().once("end", () => process.exit());
