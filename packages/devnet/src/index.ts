export { type Devnet, type DevnetOptions, startDevnet } from "./Devnet.ts";
export { DevnetError } from "./DevnetError.ts";
