import * as Data from "effect/Data";

/** The native library may not or cannot be loaded: the server does not start. */
export class NativeLibraryError extends Data.TaggedError("NativeLibraryError")<{
  /** Its file; where none is shipped, the platform, architecture and major version of Node. */
  readonly build: string;
  /**
   * `missing`: no such file, or none shipped for this platform. `unknown`: its SHA-256 is not the
   * expected one, so it was not loaded. `unloadable`: the system refused to load it.
   */
  readonly reason: "missing" | "unknown" | "unloadable";
  /** The exact fault, such as both hashes. */
  readonly detail: string;
}> {
  override get message(): string {
    return `The native HTTP library ${this.build} is ${this.reason}: ${this.detail}`;
  }
}
