import { parseAbi } from "viem";

/** ABIs of Curve's contracts, and of our own that stand in for them. */

/** StableSwap pools, whose coin indices are int128. */
export const curveStableAbi = parseAbi([
  "function get_dy(int128 i, int128 j, uint256 dx) view returns (uint256)",
  "function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy) payable",
  "function A() view returns (uint256)",
  "function A_precise() view returns (uint256)",
  "function fee() view returns (uint256)",
  "function admin_fee() view returns (uint256)",
  "function balances(uint256 i) view returns (uint256)",
  "function add_liquidity(uint256[] amounts) payable",
]);

/** See `CurveStableNgFactory.sol`. */
export const curveNgFactoryAbi = parseAbi([
  "function deploy_plain_pool(string name, string symbol, address[] coins, uint256 A, uint256 fee, uint256 offpeg_fee_multiplier, uint8[] asset_types, bytes4[] method_ids, address[] oracles) returns (address)",
  "function deploy_metapool(address base_pool, string name, string symbol, address coin, uint256 A, uint256 fee, uint256 offpeg_fee_multiplier) returns (address)",
]);

/** See `CurveStableNg.sol`: the factory's deployer is the admin. */
export const curveNgPoolAbi = parseAbi([
  "function offpeg_fee_multiplier() view returns (uint256)",
  "function get_balances() view returns (uint256[])",
  "function stored_rates() view returns (uint256[])",
  "function add_liquidity(uint256[] amounts, uint256 min_mint_amount) returns (uint256)",
  "function remove_liquidity(uint256 burn_amount, uint256[] min_amounts) returns (uint256[])",
  "function remove_liquidity_one_coin(uint256 burn_amount, int128 i, uint256 min_received) returns (uint256)",
  "function ramp_A(uint256 future_A, uint256 future_time)",
  "function stop_ramp_A()",
  "function set_new_fee(uint256 fee, uint256 offpeg_fee_multiplier)",
]);

const CRYPTO_TERMS =
  "struct Terms { uint256 midFee; uint256 outFee; uint256 feeGamma; uint256 allowedExtraProfit; uint256 adjustmentStep; uint256 maTime; }";

/** See `CurveCryptoFactory.sol`. */
export const curveCryptoFactoryAbi = parseAbi([
  CRYPTO_TERMS,
  "function deploy(string name, address[] coins, uint256[2] aGamma, Terms terms, uint256[] prices) returns (address)",
]);

/** See `CurveCrypto.sol`: coin indices are uint256. */
export const curveCryptoAbi = parseAbi([
  CRYPTO_TERMS,
  "function get_dy(uint256 i, uint256 j, uint256 dx) view returns (uint256)",
  "function exchange(uint256 i, uint256 j, uint256 dx, uint256 min_dy) payable returns (uint256)",
  "function remove_liquidity_one_coin(uint256 token_amount, uint256 i, uint256 min_amount) returns (uint256)",
  "function balances(uint256 i) view returns (uint256)",
  "function A() view returns (uint256)",
  "function gamma() view returns (uint256)",
  "function D() view returns (uint256)",
  "function mid_fee() view returns (uint256)",
  "function out_fee() view returns (uint256)",
  "function fee_gamma() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function virtual_price() view returns (uint256)",
  "function future_A_gamma() view returns (uint256)",
  "function ramp_A_gamma(uint256 a, uint256 g, uint256 futureTime)",
  "function stop_ramp_A_gamma()",
  "function apply_new_parameters(Terms next)",
]);

/** Functions that differ between pools of two tokens and of three. */
export const curveTwocryptoAbi = parseAbi([
  "function price_scale() view returns (uint256)",
  "function add_liquidity(uint256[2] amounts, uint256 min_mint_amount) returns (uint256)",
  "function remove_liquidity(uint256 amount, uint256[2] min_amounts)",
]);
export const curveTricryptoAbi = parseAbi([
  "function price_scale(uint256 k) view returns (uint256)",
  "function add_liquidity(uint256[3] amounts, uint256 min_mint_amount) returns (uint256)",
  "function remove_liquidity(uint256 amount, uint256[3] min_amounts)",
]);
