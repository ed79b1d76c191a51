import { opensByDefault } from "@millrace/platform-uws";
import { routeOf } from "./routeTable.ts";

/**
 * Whether pages of other origins may read a path: metrics are for operators, wallets for our pages.
 */
export const isOpenToPages = (method: string, path: string): boolean =>
  opensByDefault(method, path) && !CLOSED_TO_PAGES.has(routeOf(path)?.pattern ?? "");

const CLOSED_TO_PAGES = new Set(["/metrics", "/:network/wallet"]);
