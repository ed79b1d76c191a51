import { COSTS } from "./costs.ts";

/** What an answer over Effect's router costs, by the pattern of its path; "unknown" costs too. */
export const costOfRoute = (pattern: string): number =>
  isOfOperators(pattern) || CHARGED_BY_HANDLERS.has(pattern) ? 0 : COSTS.read;

/** Health, metrics and documents are for operators: they are never limited, and never shed. */
export const isOfOperators = (path: string): boolean => OPERATIONS.test(path);

const OPERATIONS = /^\/(health\/(live|ready(\/[^/]+)?)|metrics|docs|openapi\.json|asyncapi\.json)$/;

const CHARGED_BY_HANDLERS = new Set(["/:network/quote", "/:network/swap", "/:network/permit"]);
