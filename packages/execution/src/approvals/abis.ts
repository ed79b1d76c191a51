import { parseAbi } from "viem/utils";

export const erc20AllowanceAbi = parseAbi([
  "function allowance(address owner, address spender) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);

export const permit2AllowanceAbi = parseAbi([
  "function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)",
  "function approve(address token, address spender, uint160 amount, uint48 expiration)",
]);

/** Permit2 holds amounts in 160 bits. */
export const PERMIT2_AMOUNT_MAX = 2n ** 160n - 1n;
