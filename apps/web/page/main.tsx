import { options, render } from "preact";
import { App } from "./App.tsx";

// In a task of their own, so that the messages of a block are read first and then drawn at once.
const { port1, port2 } = new MessageChannel();
let draw = () => {};
port1.onmessage = () => draw();
options.debounceRendering = (render) => {
  draw = render;
  port2.postMessage(undefined);
};

render(<App />, document.getElementById("app")!);
