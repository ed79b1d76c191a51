import type { NetworkPreset } from "./NetworkPreset.ts";
import arbitrum from "./presets/arbitrum.json" with { type: "json" };
import base from "./presets/base.json" with { type: "json" };
import bnb from "./presets/bnb.json" with { type: "json" };
import ethereum from "./presets/ethereum.json" with { type: "json" };
import optimism from "./presets/optimism.json" with { type: "json" };
import polygon from "./presets/polygon.json" with { type: "json" };

export type {
  ChainPreset,
  DexPreset,
  NetworkPreset,
  PresetId,
  UniversalRouterPreset,
} from "./NetworkPreset.ts";

/** The networks that ship, with the addresses that their deployers document. */
export const networkPresets = [
  ethereum,
  base,
  arbitrum,
  optimism,
  bnb,
  polygon,
] as ReadonlyArray<unknown> as ReadonlyArray<NetworkPreset>;

/** The preset of an id, as `BASE`; undefined where there is none. */
export const networkPreset = (id: string): NetworkPreset | undefined =>
  networkPresets.find((preset) => preset.id === id);
