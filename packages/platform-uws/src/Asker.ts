/** The client behind a request. */
export interface Asker {
  /** Clients take turns by name. Only read while the request is alive. */
  readonly name: string;
  /** The client was told by 429 to ask later, and that time has not come. */
  readonly isEarly: boolean;
}

/** Stands for all clients where they are not told apart. */
export const ANYBODY: Asker = { name: "", isEarly: false };
