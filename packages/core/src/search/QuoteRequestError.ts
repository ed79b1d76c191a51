/** An invalid argument: its `field`, and the reason in the message. */
export class QuoteRequestError extends RangeError {
  override readonly name = "QuoteRequestError";
  readonly _tag = "QuoteRequestError";
  readonly code: "INVALID_REQUEST" | "UNKNOWN_TOKEN" | "UNKNOWN_POOL";
  readonly field: string;
  readonly detail: string;

  constructor(
    code: QuoteRequestError["code"],
    field: string,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${field}: ${detail}`, options);
    this.code = code;
    this.field = field;
    this.detail = detail;
  }
}
