import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });

/** A server's answer to JSON. Tests ask nodes so often that `fetch` would be too slow. */
export const postText = (
  url: string,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(url, { agent, method: "POST", headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("error", reject);
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode!, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });

export const postJson = async <A>(url: string, body: unknown): Promise<A> =>
  JSON.parse((await postText(url, JSON.stringify(body))).text);
