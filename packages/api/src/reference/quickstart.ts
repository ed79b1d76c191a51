import { curlLine, quoteOf, type ReferenceExamples, USUAL_ADDRESS } from "./curlLine.ts";
import { escape } from "./html.ts";

/** The first steps: networks, tokens and a quote in a shell, and a stream in JavaScript. */
export function quickstart(examples: ReferenceExamples): string {
  const { network } = examples;
  const subscription = { op: "subscribe", id: 1, channel: "quote", network, ...quoteOf(examples) };
  return `<h2 id="quickstart">Quickstart</h2>
<p>The lines of this page ask a service at its usual address, <code>${USUAL_ADDRESS}</code>: where yours is elsewhere, put its address there. Networks, then the most liquid tokens, then what one native token buys:</p>
${[curlLine("/networks"), curlLine("/tokens?limit=5"), curlLine(`/${network}/quote`, quoteOf(examples))].map(block).join("\n")}
<p>The same quote, anew with every block that changes it, in a browser or in Node 22:</p>
${block(`const socket = new WebSocket("ws://${USUAL_ADDRESS}/ws");
const subscription = ${JSON.stringify(subscription)};
socket.onopen = () => socket.send(JSON.stringify(subscription));
socket.onmessage = ({ data }) => console.log(JSON.parse(data));`)}`;
}

const block = (code: string): string => `<pre>${escape(code)}</pre>`;
