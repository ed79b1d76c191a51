import * as Data from "effect/Data";

/** The server cannot listen: the host has no address here, or the port is taken or forbidden. */
export class BindError extends Data.TaggedError("BindError")<{
  readonly host: string;
  readonly port: number;
  /**
   * `unresolved`: the host name has no address; `refused`: the system does not allow listening
   * there.
   */
  readonly reason: "unresolved" | "refused";
}> {
  override get message(): string {
    const hint = this.reason === "refused" ? ": is another program listening there?" : "";
    return `Cannot listen on ${this.host}:${this.port} (${this.reason})${hint}`;
  }
}
