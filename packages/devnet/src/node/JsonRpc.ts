import { Agent, request } from "node:http";

/** The node answered with an error. */
export class RefusedRequest extends Error {
  /** The node has no such method. */
  readonly isUnsupported: boolean;

  constructor(method: string, { code, message }: Refusal) {
    super(`${method}: ${message}`);
    this.isUnsupported = code === UNKNOWN_METHOD || /method .*not (found|supported)/i.test(message);
  }
}

interface Refusal {
  readonly code?: number;
  readonly message: string;
}

/** JSON-RPC's code for an unknown method. */
const UNKNOWN_METHOD = -32601;

interface Request {
  readonly method: string;
  readonly params: ReadonlyArray<unknown>;
}

interface Waiting extends Request {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: Refusal;
}

const TIMEOUT_MS = 20_000;

/**
 * JSON-RPC to a node on this machine. A devnet makes thousands of requests; through viem they would
 * take longer than the node's answers.
 */
export class JsonRpc {
  readonly #url: string;
  readonly #batchSize: number;
  readonly #agent = new Agent({ keepAlive: true });
  #waiting: Waiting[] = [];

  /** Up to `batchSize` requests of one event loop turn are sent together; 1 sends each alone. */
  constructor(url: string, batchSize: number) {
    this.#url = url;
    this.#batchSize = batchSize;
  }

  /** Resolves to the result; rejects with `RefusedRequest` where the node answers with an error. */
  request(method: string, params: ReadonlyArray<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ method, params, resolve, reject });
      if (this.#waiting.length === this.#batchSize) this.#send();
      else if (this.#waiting.length === 1) setImmediate(() => this.#send());
    });
  }

  #send(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return; // It was sent when full.
    this.#waiting = [];
    this.#post(batch).then(
      (answers) => {
        const byId = new Map(answers.map((answer) => [answer.id, answer]));
        for (const [id, { method, resolve, reject }] of batch.entries()) {
          const { result, error }: Partial<Answer> = byId.get(id) ?? {
            error: { message: "no answer" },
          };
          if (error === undefined) resolve(result);
          else reject(new RefusedRequest(method, error));
        }
      },
      (cause) => {
        for (const { reject } of batch) reject(cause);
      },
    );
  }

  async #post(batch: ReadonlyArray<Request>): Promise<ReadonlyArray<Answer>> {
    const calls = batch.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const text = await this.#exchange(JSON.stringify(calls.length === 1 ? calls[0] : calls));
    const answers = JSON.parse(text) as Answer | ReadonlyArray<Answer>;
    return "length" in answers ? answers : [answers];
  }

  #exchange(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const options = { agent: this.#agent, method: "POST", headers, timeout: TIMEOUT_MS };
      const sent = request(this.#url, options, (response) => {
        const parts: Buffer[] = [];
        response.on("error", reject);
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve(Buffer.concat(parts).toString()));
      });
      sent.on("timeout", () => sent.destroy(new Error("no answer for 20 seconds")));
      sent.on("error", (cause: NodeJS.ErrnoException) => {
        // The node had closed an idle connection, and has not seen the request.
        if (sent.reusedSocket && cause.code === "ECONNRESET") resolve(this.#exchange(body));
        else reject(cause);
      });
      sent.end(body);
    });
  }
}
