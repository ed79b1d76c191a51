import { invalidCall, MillraceError } from "./MillraceError.ts";

/** What is read of an object that anybody passed. */
type Read<Name extends string> = Partial<Record<Name, unknown>>;

/**
 * The members of these names, each read once: what a getter or a proxy gives may be another thing
 * each time. Other names that can be listed are refused, as they may be misspelt, unless `what`
 * they are of is undefined.
 */
export function readArguments<const Name extends string>(
  given: unknown,
  names: ReadonlyArray<Name>,
  what: string | undefined,
): Read<Name> {
  if (typeof given !== "object" || given === null) {
    throw invalidCall(`${what ?? "quote"}: expected an object`);
  }
  return reading(() => {
    for (const name in what === undefined ? {} : given) {
      if (!(names as ReadonlyArray<string>).includes(name)) {
        throw invalidCall(`${what}: ${name.slice(0, NAME_SHOWN)} is no option`);
      }
    }
    const read: Read<Name> = {};
    for (const name of names) {
      const value = (given as Read<Name>)[name];
      if (value !== undefined) read[name] = value;
    }
    return read;
  });
}

/** What reading something that was passed gives; a getter of it may throw. */
export function reading<A>(read: () => A): A {
  try {
    return read();
  } catch (error) {
    throw unreadable(error);
  }
}

export const unreadable = (error: unknown): MillraceError =>
  error instanceof MillraceError
    ? error
    : new MillraceError("INVALID_REQUEST", "what was passed cannot be read", { cause: error });

/** The signal of a call's options. */
export function signalOf(options: unknown): AbortSignal | undefined {
  const { signal } = readArguments(options, ["signal"], "options");
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw invalidCall("signal: expected an AbortSignal");
}

/** Of texts that may be anything, as much as a message shows. */
export const NAME_SHOWN = 80;
