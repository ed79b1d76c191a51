// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CurveStableSwap} from "./CurveStableSwap.sol";

/// A StableSwap pool like the oldest ones, 3pool among them: `exchange` returns nothing.
contract CurveSilentPool is CurveStableSwap {
    event TokenExchange(
        address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought
    );

    constructor(
        address[] memory coins_,
        uint256[] memory rates_,
        uint256 amplification_,
        uint256 fee_,
        uint256 adminFee
    ) CurveStableSwap(coins_, rates_, amplification_, fee_, adminFee) {}

    function get_dy(int128 i, int128 j, uint256 dx) external view returns (uint256) {
        return quote(uint128(i), uint128(j), dx);
    }

    function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy) external {
        uint256 dy = swap(uint128(i), uint128(j), dx, min_dy);
        emit TokenExchange(msg.sender, i, dx, j, dy);
    }
}
