import type { Curve } from "@millrace/core";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import type { LegDecoder } from "./LegDecoder.ts";

/** What a DEX's pools are: their arithmetic, their logs and reads, their legs of transactions. */
export interface Protocol {
  /** What a DEX names as its protocol, as `constant-product`. */
  readonly name: string;
  /** What its pools swap along. */
  readonly curves: ReadonlyArray<Curve>;
  readonly chain: ChainProtocol;
  readonly calldata: CalldataProtocol;
  readonly decode: LegDecoder;
  /** Of pools along some of its curves, where their legs are others than those above. */
  readonly otherLegs?: ReadonlyArray<CurveLegs>;
}

/** Legs of pools along one curve. */
interface CurveLegs {
  /** `Curve.name`. */
  readonly curve: string;
  readonly calldata: CalldataProtocol;
  readonly decode: LegDecoder;
}
