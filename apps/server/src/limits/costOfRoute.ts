import { COSTS } from "./costs.ts";

/** What an answer over Effect's router costs, by the pattern of its path; "unknown" costs too. */
export const costOfRoute = (pattern: string): number => (isOfOperators(pattern) ? 0 : COSTS.read);

/** Whether the handler of a route charges and counts by itself, as a direct route has it. */
export const chargesItself = (pattern: string): boolean => CHARGED_BY_HANDLERS.has(pattern);

/** Health, metrics and documents are for operators: they are never limited, and never shed. */
export const isOfOperators = (pattern: string): boolean => OPERATIONS.test(pattern);

const OPERATIONS =
  /^\/(health\/(live|ready(\/:network)?)|metrics|docs|openapi\.json|asyncapi\.json)$/;

const CHARGED_BY_HANDLERS = new Set(["/:network/quote", "/:network/swap", "/:network/permit"]);
