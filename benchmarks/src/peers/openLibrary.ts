import { allPools, commonPools } from "./candidates.ts";
import type { LibraryName } from "./libraries.ts";
import type { OpenPeer } from "./Peer.ts";
import { openPancakeSmartRouter } from "./pancakeSmartRouter.ts";
import { openUniswapRouter } from "./uniswapRouter.ts";
import { openUniswapV2 } from "./uniswapV2.ts";
import { openUniswapV3 } from "./uniswapV3.ts";

/** How each library is opened on a market. */
export const openLibrary: Readonly<Record<LibraryName, OpenPeer>> = {
  "v2-sdk": (market) => openUniswapV2(market, commonPools),
  "v2-sdk-all": (market) => openUniswapV2(market, allPools),
  "v3-sdk": (market) => openUniswapV3(market, commonPools),
  "router-sdk": (market) => openUniswapRouter(market, commonPools),
  "router-sdk-all": (market) => openUniswapRouter(market, allPools),
  "smart-router": (market) => openPancakeSmartRouter(market, commonPools),
};
