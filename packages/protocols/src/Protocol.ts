import type { Curve } from "@millrace/core";
import type { CalldataProtocol } from "./CalldataProtocol.ts";
import type { ChainProtocol } from "./ChainProtocol.ts";
import type { LegDecoder } from "./LegDecoder.ts";

/** One kind of pool: the arithmetic, the logs and reads, and the legs in transactions. */
export interface Protocol {
  /** The name that a DEX gives as its protocol, such as `constant-product`. */
  readonly name: string;
  /** The curves of its pools. */
  readonly curves: ReadonlyArray<Curve>;
  readonly chain: ChainProtocol;
  readonly calldata: CalldataProtocol;
  readonly decode: LegDecoder;
  /** Legs of pools along some of its curves, where they differ from those above. */
  readonly otherLegs?: ReadonlyArray<CurveLegs>;
}

/** Legs of pools along one curve. */
interface CurveLegs {
  /** `Curve.name`. */
  readonly curve: string;
  readonly calldata: CalldataProtocol;
  readonly decode: LegDecoder;
}
