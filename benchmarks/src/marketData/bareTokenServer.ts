import { App, us_socket_local_port } from "uWebSockets.js";
import { readFileSync } from "node:fs";

// A program: answers for every token with the one of a file, under the requested address.
const answer = JSON.parse(readFileSync(process.argv[2]!, "utf8"));

App()
  .get("/tokens/:address", (response, request) => {
    answer.data.address = request.getParameter(0);
    response.cork(() => {
      response.writeHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
  })
  .listen("127.0.0.1", 0, (socket) => {
    if (socket === false) throw new Error("no port to listen on");
    process.stdout.write(`listens on http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });

// The parent holds the other end of this pipe: if it dies, this process must not stay.
process.stdin.resume().once("end", () => process.exit());
