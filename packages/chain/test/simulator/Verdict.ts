/** What a source told is not what the simulated chain has. */
export class Verdict extends Error {
  override readonly name = "Verdict";
}
