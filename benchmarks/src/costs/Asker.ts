import { Agent, request } from "node:http";

/** A request over HTTP; POST where there is a body. */
export interface Question {
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an answer that count here. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>;
  readonly text: string;
}

/** Asks over a few keep-alive connections. */
export class Asker {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });

  constructor(url: string) {
    this.#url = url;
  }

  ask({ path, body, headers = {} }: Question): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const method = body === undefined ? "GET" : "POST";
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent });
      sent.once("error", reject);
      sent.once("response", (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("error", reject);
        answer.once("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      });
      sent.end(body);
    });
  }

  /** The body of an answer. Throws unless its status is 200. */
  async textOf(path: string): Promise<string> {
    const { status, text } = await this.ask({ path });
    if (status !== 200) throw new Error(`${path}: ${status}: ${text}`);
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }
}
