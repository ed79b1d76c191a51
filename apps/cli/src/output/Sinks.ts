import { styleText } from "node:util";
import { Context } from "effect";

/** A destination of text: a terminal, a file, a pipe, or a string. */
export interface TextSink {
  readonly write: (text: string) => void;
  /** A terminal, whose last line may be written anew. */
  readonly isTerminal: boolean;
  /** Text may be styled: a terminal without NO_COLOR, or FORCE_COLOR. */
  readonly isStyled: boolean;
  /** Undefined where nothing has to fit. */
  readonly columns: number | undefined;
}

interface BothSinks {
  /** Data. */
  readonly out: TextSink;
  /** Everything else. */
  readonly err: TextSink;
}

/** The sinks of a command; by default the streams of the process. */
export const Sinks: Context.Reference<BothSinks> = Context.Reference("@millrace/cli/Sinks", {
  defaultValue: () => ({ out: sinkOf(process.stdout), err: sinkOf(process.stderr) }),
});

const sinkOf = (stream: NodeJS.WriteStream): TextSink => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY === true,
  isStyled: styleText("bold", "x", { stream }) !== "x",
  columns: Number(process.env["COLUMNS"]) || stream.columns || undefined,
});
