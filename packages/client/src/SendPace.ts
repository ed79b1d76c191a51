/** Sends no more texts a second than a server takes; the rest wait, in order. */
export class SendPace {
  readonly #perSecond: number;
  readonly #send: (text: string) => void;
  readonly #waiting: string[] = [];
  #left: number;
  #refill: ReturnType<typeof setInterval> | undefined;

  constructor(perSecond: number, send: (text: string) => void) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#send = send;
  }

  send(text: string): void {
    this.#waiting.push(text);
    this.#flush();
  }

  stop(): void {
    clearInterval(this.#refill);
    this.#refill = undefined;
    this.#waiting.length = 0;
  }

  #flush(): void {
    while (this.#left > 0 && this.#waiting.length > 0) {
      this.#left--;
      this.#send(this.#waiting.shift()!);
    }
    // Somewhat slower than allowed: clocks differ.
    this.#refill ??= setInterval(() => this.#earn(), 1_100 / this.#perSecond);
  }

  #earn(): void {
    this.#left = Math.min(this.#perSecond, this.#left + 1);
    if (this.#waiting.length > 0) this.#flush();
    else if (this.#left === this.#perSecond) {
      clearInterval(this.#refill);
      this.#refill = undefined;
    }
  }
}
