import { invalidCall, MillraceError } from "./MillraceError.ts";

/** The members read from an object that a caller passed. */
type Read<Name extends string> = Partial<Record<Name, unknown>>;

/**
 * The members with these names, each read once: a getter or a proxy may give another value each
 * time. Refuses other enumerable names, as they may be misspelt, unless `what` is undefined.
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

/** The result of reading something that a caller passed, where a getter may throw. */
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

/** Length of a caller's text in a message. */
export const NAME_SHOWN = 80;
