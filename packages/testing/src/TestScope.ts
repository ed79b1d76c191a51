import { Effect, Exit, References, Scope } from "effect";

/** What a test has started, and ends together; it logs nothing. */
export class TestScope {
  readonly #scope = Scope.makeUnsafe();

  readonly run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    effect.pipe(
      Scope.provide(this.#scope),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.runPromise,
    );

  readonly close = (): Promise<void> => Effect.runPromise(Scope.close(this.#scope, Exit.void));

  /** Gives what `open` makes in a new scope; where it throws, all that it has started ends. */
  static async open<A>(open: (scope: TestScope) => Promise<A>): Promise<A> {
    const scope = new TestScope();
    try {
      return await open(scope);
    } catch (cause) {
      await scope.close();
      throw cause;
    }
  }
}
