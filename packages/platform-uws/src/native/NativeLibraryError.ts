import * as Data from "effect/Data";

/** The native library is not one that may be loaded, or cannot be: the server does not start. */
export class NativeLibraryError extends Data.TaggedError("NativeLibraryError")<{
  /** Its file; where none is shipped, the platform, architecture and major version of Node. */
  readonly build: string;
  /**
   * `missing`: no such file, or none shipped for this platform; `unknown`: its SHA-256 is not the
   * expected one, so it was not loaded; `unloadable`: the system refused it.
   */
  readonly reason: "missing" | "unknown" | "unloadable";
  /** What exactly is wrong, such as both hashes. */
  readonly detail: string;
}> {
  override get message(): string {
    return `The native HTTP library ${this.build} is ${this.reason}: ${this.detail}`;
  }
}
