/** Who asks. */
export interface Asker {
  /** Clients take turns by their names. Read while the request is there. */
  readonly name: string;
  /** It was told to ask later, by 429, and that time has not come. */
  readonly isEarly: boolean;
}

/** Everybody, where clients are not told apart. */
export const ANYBODY: Asker = { name: "", isEarly: false };
