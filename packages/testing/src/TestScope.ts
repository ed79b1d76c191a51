import { Effect, Exit, References, Scope } from "effect";

/** The resources of a test, which end together; logs nothing. */
export class TestScope {
  readonly #scope = Scope.makeUnsafe();

  readonly run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    effect.pipe(
      Scope.provide(this.#scope),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.runPromise,
    );

  readonly close = (): Promise<void> => Effect.runPromise(Scope.close(this.#scope, Exit.void));

  /** What `open` makes in a new scope. If it throws, everything that it started ends. */
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
