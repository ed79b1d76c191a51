import { HttpApi, OpenApi } from "effect/http-api";
import { MarketApi } from "./marketApi.ts";
import { OperationsApi } from "./operationsApi.ts";
import { SwapApi } from "./swapApi.ts";
import { WalletApi } from "./walletApi.ts";

/** The whole HTTP interface; the OpenAPI document, the reference page and clients come from it. */
export class Api extends HttpApi.make("millrace")
  .add(MarketApi)
  .add(SwapApi)
  .add(OperationsApi)
  .add(WalletApi)
  .annotateMerge(
    OpenApi.annotations({
      title: "millrace",
      version: "0.1.0",
      description:
        "Market data and exact swap routing for decentralised exchanges on EVM chains. Every " +
        "body is JSON. Addresses are 0x and 40 hex digits, amounts decimal strings in the " +
        "token's smallest unit, times Unix epoch milliseconds.",
      license: { name: "MIT" },
    }),
  ) {}
