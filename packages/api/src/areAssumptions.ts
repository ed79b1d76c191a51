import { isAddress } from "./address.ts";
import { isAmount } from "./amount.ts";
import {
  ASSUMED_STEPS_MAX,
  ASSUMPTIONS_MAX,
  AssumedStep,
  type AssumptionJson,
  assumedStepCount,
  hasOneForm,
  RESERVES_MAX,
  RESERVES_MIN,
} from "./assumption.ts";
import { hasPoolNames, isPoolName } from "./poolName.ts";

/** Whether the schema of assumptions accepts a value of a parsed JSON body unchanged. */
export const areAssumptions = (value: unknown): value is ReadonlyArray<AssumptionJson> =>
  Array.isArray(value) &&
  value.length <= ASSUMPTIONS_MAX &&
  value.every(isAssumption) &&
  assumedStepCount(value) <= ASSUMED_STEPS_MAX;

const isAssumption = (value: unknown): value is AssumptionJson =>
  isRecord(value) &&
  Object.keys(value).every((key) => isPart(key, value[key])) &&
  hasOneForm(value);

function isPart(key: string, value: unknown): boolean {
  switch (key) {
    case "removePool":
    case "pool":
      return isPoolName(value);
    case "reserves":
      return (
        Array.isArray(value) &&
        value.length >= RESERVES_MIN &&
        value.length <= RESERVES_MAX &&
        value.every(isAmountValue)
      );
    case "routePlan":
      return (
        Array.isArray(value) && value.length <= ASSUMED_STEPS_MAX && value.every(isAssumedStep)
      );
    default:
      return false;
  }
}

/** The same check for one step of a route plan. */
export const isAssumedStep = (value: unknown): boolean =>
  isRecord(value) &&
  Object.keys(value).every((key) => STEP_KEYS.has(key)) &&
  hasPoolNames(value) &&
  isAddressValue(value["tokenA"]) &&
  isAddressValue(value["tokenB"]) &&
  isAmountValue(value["amountIn"]) &&
  (!Object.hasOwn(value, "aToB") || typeof value["aToB"] === "boolean");

const STEP_KEYS: ReadonlySet<string> = new Set(Object.keys(AssumedStep.fields));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAddressValue = (value: unknown): value is string =>
  typeof value === "string" && isAddress(value);

const isAmountValue = (value: unknown): value is string =>
  typeof value === "string" && isAmount(value);
