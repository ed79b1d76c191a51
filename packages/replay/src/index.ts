export { type SharedFamily, sharedFamilies } from "./generator/families.ts";
export { type GeneratedMarketOptions, generatedMarket } from "./generator/generatedMarket.ts";
export {
  type GeneratedChainId,
  type GeneratedFamily,
  type GeneratorOptions,
  generateMarketBlock,
  isGeneratedChain,
} from "./generator/generateMarketBlock.ts";
export { type MarketFileOptions, marketFile } from "./marketFile/marketFile.ts";
