import { options, render } from "preact";
import { App } from "./App.tsx";

// Drawing is a task of its own: the messages of a block are read first, and drawn at once.
const { port1, port2 } = new MessageChannel();
options.debounceRendering = (draw) => {
  port1.onmessage = () => draw();
  port2.postMessage(undefined);
};

render(<App />, document.getElementById("app")!);
