import { Agent, request } from "node:http";

/** The outcome of a request: an answer, or the error code that ended its connection. */
export type Outcome =
  | {
      readonly status: number;
      readonly text: string;
      readonly headers: NodeJS.Dict<string | string[]>;
    }
  | { readonly failure: string };

/** A client with one connection, which it keeps as long as it may. */
export class Asker {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  post(path: string, body: object): Promise<Outcome> {
    return new Promise((resolve) => {
      const headers = { "content-type": "application/json" };
      const asked = request(this.#url + path, { method: "POST", agent: this.#agent, headers });
      asked.on("error", (error: NodeJS.ErrnoException) =>
        resolve({ failure: error.code ?? error.message }),
      );
      asked.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          text += part;
        });
        response.on("error", (error: NodeJS.ErrnoException) =>
          resolve({ failure: error.code ?? error.message }),
        );
        response.on("end", () =>
          resolve({ status: response.statusCode!, text, headers: response.headers }),
        );
      });
      asked.end(JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
