import { options, render } from "preact";
import { App } from "./App.tsx";

let pending: (() => void) | undefined;
const drawPending = () => {
  const draw = pending;
  pending = undefined;
  draw?.();
};

// Drawing is a task of its own: the messages of a block are read first, and drawn at once.
const { port1, port2 } = new MessageChannel();
port1.onmessage = drawPending;
options.debounceRendering = (draw) => {
  pending = draw;
  port2.postMessage(undefined);
};

// What a user does is drawn before the next key is read: it finds a field that empties on focus
// empty.
options.event = (event) => {
  queueMicrotask(drawPending);
  return event;
};

render(<App />, document.getElementById("app")!);
