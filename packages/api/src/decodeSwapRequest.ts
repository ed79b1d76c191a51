import { isAddress } from "./address.ts";
import { isAmount } from "./amount.ts";
import { hasPoolNames } from "./poolName.ts";
import {
  agrees,
  isSlippage,
  PARTNER_FEE_BPS_MAX,
  PARTNER_FEE_FIELDS,
  PERMIT_FIELDS,
  QUOTE_FIELDS,
  SLIPPAGE_PERCENT_DEFAULT,
  STEP_FIELDS,
  SWAP_STEPS_MAX,
  SwapRequest,
} from "./swapRequest.ts";

/**
 * The request in a parsed JSON body, or undefined when anything is wrong with it:
 * `decodeSwapRequestStrictly` then says what. Accepts exactly what the schema accepts (a test
 * compares them), and leaves out ignored keys. Takes a fraction of a microsecond per step.
 */
export function decodeSwapRequest(body: unknown): SwapRequest | undefined {
  if (!isRecord(body) || !hasOnly(body, SwapRequest.fields)) return undefined;
  const { publicKey, partnerFees, recipient, deadline, permit } = body;
  const slippage = Object.hasOwn(body, "slippage") ? body["slippage"] : SLIPPAGE_PERCENT_DEFAULT;
  const quote = quoteOf(body["quote"]);
  const isSound =
    isAddressValue(publicKey) &&
    quote !== undefined &&
    isSlippage(slippage) &&
    (!Object.hasOwn(body, "partnerFees") || arePartnerFees(partnerFees)) &&
    (!Object.hasOwn(body, "recipient") || isAddressValue(recipient)) &&
    (!Object.hasOwn(body, "deadline") || isWholeUpTo(deadline, Number.MAX_SAFE_INTEGER)) &&
    (!Object.hasOwn(body, "permit") || isPermit(permit));
  return isSound ? ({ ...body, slippage, quote } as unknown as SwapRequest) : undefined;
}

function quoteOf(value: unknown): SwapRequest["quote"] | undefined {
  if (!isRecord(value)) return undefined;
  const { tokenA, tokenB, amountIn, amountOut, routePlan } = value;
  const isSound =
    isAddressValue(tokenA) &&
    isAddressValue(tokenB) &&
    tokenA.toLowerCase() !== tokenB.toLowerCase() &&
    isAmountValue(amountIn) &&
    isAmountValue(amountOut) &&
    isBooleanIfAny(value, "exactOutput") &&
    isBooleanIfAny(value, "isNativeIn") &&
    isBooleanIfAny(value, "isNativeOut") &&
    agrees(value["isNativeIn"], tokenA) &&
    agrees(value["isNativeOut"], tokenB) &&
    Array.isArray(routePlan) &&
    routePlan.length <= SWAP_STEPS_MAX &&
    routePlan.every(isStep);
  if (!isSound) return undefined;
  const quote = only(value, QUOTE_KEYS);
  return { ...quote, routePlan: routePlan.map((step) => only(step, STEP_KEYS)) } as never;
}

const isStep = (value: unknown): value is Fields =>
  isRecord(value) &&
  hasPoolNames(value) &&
  isAddressValue(value["tokenA"]) &&
  isAddressValue(value["tokenB"]) &&
  isBooleanIfAny(value, "aToB") &&
  (!Object.hasOwn(value, "amountIn") || isAmountValue(value["amountIn"])) &&
  (!Object.hasOwn(value, "amountOut") || isAmountValue(value["amountOut"]));

const arePartnerFees = (value: unknown): boolean =>
  isRecord(value) &&
  hasOnly(value, PARTNER_FEE_FIELDS) &&
  isAddressValue(value["recipient"]) &&
  isWholeUpTo(value["fee"], PARTNER_FEE_BPS_MAX);

const isPermit = (value: unknown): boolean =>
  isRecord(value) &&
  hasOnly(value, PERMIT_FIELDS) &&
  typeof value["signature"] === "string" &&
  SIGNATURE.test(value["signature"]) &&
  isAmountValue(value["amount"]) &&
  isAmountValue(value["deadline"]) &&
  isAmountValue(value["nonce"]) &&
  (!Object.hasOwn(value, "expiration") || isAmountValue(value["expiration"]));

type Fields = Readonly<Record<string, unknown>>;

const QUOTE_KEYS = Object.keys(QUOTE_FIELDS);
const STEP_KEYS = Object.keys(STEP_FIELDS);
const SIGNATURE = /^0x[a-fA-F0-9]{130}$/;

/** Objects of JSON.parse have only own keys. */
const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function hasOnly(value: Fields, fields: object): boolean {
  for (const key in value) if (!Object.hasOwn(fields, key)) return false;
  return true;
}

function only(value: Fields, keys: ReadonlyArray<string>): Fields {
  const kept: Record<string, unknown> = {};
  for (const key of keys) if (Object.hasOwn(value, key)) kept[key] = value[key];
  return kept;
}

const isAddressValue = (value: unknown): value is string =>
  typeof value === "string" && isAddress(value);

const isAmountValue = (value: unknown): value is string =>
  typeof value === "string" && isAmount(value);

const isBooleanIfAny = (value: Fields, key: string): boolean =>
  !Object.hasOwn(value, key) || typeof value[key] === "boolean";

const isWholeUpTo = (value: unknown, maximum: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maximum;
