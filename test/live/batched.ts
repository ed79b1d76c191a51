import type { Chain } from "./Chain.ts";

/** Sends the requests of one turn of the event loop as a batch. */
export function batched(chain: Chain) {
  let waiting: Array<{
    readonly request: readonly [method: string, params: ReadonlyArray<unknown>];
    readonly resolve: (result: unknown) => void;
    readonly reject: (cause: Error) => void;
  }> = [];
  const send = async () => {
    const sent = waiting;
    waiting = [];
    const answers = await chain.batch(sent.map(({ request }) => request));
    for (const [index, { resolve, reject }] of sent.entries()) {
      const { result, error } = answers[index]!;
      if (error === undefined) resolve(result);
      else reject(new Error(error.message));
    }
  };
  return (method: string, params: ReadonlyArray<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => send().catch(reject));
      waiting.push({ request: [method, params], resolve, reject });
    });
}
