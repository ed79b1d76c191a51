import { opensByDefault } from "@millrace/platform-uws";
import { routeOf } from "./routeTable.ts";

/** What pages of other origins may read: metrics are for operators, wallets for our own pages. */
export const isOpenToPages = (method: string, path: string): boolean =>
  opensByDefault(method, path) && !CLOSED_TO_PAGES.has(routeOf(path)?.pattern ?? "");

const CLOSED_TO_PAGES = new Set(["/metrics", "/:network/wallet"]);
