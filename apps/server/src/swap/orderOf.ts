import { isNativeToken, SLIPPAGE_PARTS, type SwapRequest } from "@millrace/api";
import type { Address } from "@millrace/core";
import type { OrderedStep, Permit, SwapOrder } from "@millrace/execution";

/** A request in the terms of the execution package: lower case, the native token wrapped. */
export function orderOf(request: SwapRequest, wrappedNative: Address): SwapOrder {
  const { publicKey, quote, slippage, partnerFees, recipient, deadline, permit } = request;
  const isNativeIn = isNativeToken(quote.tokenA);
  const isNativeOut = isNativeToken(quote.tokenB);
  return {
    sender: lowerCase(publicKey),
    ...(recipient !== undefined && { recipient: lowerCase(recipient) }),
    tokenIn: isNativeIn ? wrappedNative : lowerCase(quote.tokenA),
    tokenOut: isNativeOut ? wrappedNative : lowerCase(quote.tokenB),
    isNativeIn,
    isNativeOut,
    kind: quote.exactOutput === true ? "exactOut" : "exactIn",
    amountIn: BigInt(quote.amountIn),
    amountOut: BigInt(quote.amountOut),
    steps: quote.routePlan.map(stepOf),
    // A percentage with four decimals: that many parts per million, apart from the float's error.
    slippagePpm: Math.round(slippage * SLIPPAGE_PARTS),
    ...(partnerFees !== undefined && {
      fee: { recipient: lowerCase(partnerFees.recipient), bps: partnerFees.fee },
    }),
    ...(deadline !== undefined && { deadline }),
    ...(permit !== undefined && { permit: permitOf(permit) }),
  };
}

function stepOf(step: SwapRequest["quote"]["routePlan"][number]): OrderedStep {
  const { poolAddress, poolId = poolAddress, tokenA, tokenB, aToB = true } = step;
  const { amountIn, amountOut } = step;
  const [tokenIn, tokenOut] = aToB ? [tokenA, tokenB] : [tokenB, tokenA];
  return {
    pool: lowerCase(poolId),
    tokenIn: lowerCase(tokenIn),
    tokenOut: lowerCase(tokenOut),
    ...(amountIn !== undefined && { amountIn: BigInt(amountIn) }),
    ...(amountOut !== undefined && { amountOut: BigInt(amountOut) }),
  };
}

function permitOf(permit: NonNullable<SwapRequest["permit"]>): Permit {
  const { signature, amount, deadline, nonce, expiration } = permit;
  return {
    signature: lowerCase(signature),
    amount: BigInt(amount),
    deadline: BigInt(deadline),
    nonce: BigInt(nonce),
    ...(expiration !== undefined && { expiration: BigInt(expiration) }),
  };
}

/** Checked hex digits in lower case, as all of our packages write them. */
const lowerCase = (hex: string): Address => hex.toLowerCase() as Address;
