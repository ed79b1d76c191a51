/** A history's file, read without a service. */
export { type ExportEnd, type ExportOptions, exportHistory } from "./exportHistory.ts";
export { type HistoryFile, inspectHistory } from "./inspectHistory.ts";
