// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CurveStableSwap} from "./CurveStableSwap.sol";

/// A StableSwap pool of the usual interface: `exchange` tells what it gives. A coin of it may be native.
contract CurvePool is CurveStableSwap {
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

    function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy) external payable returns (uint256 dy) {
        dy = swap(uint128(i), uint128(j), dx, min_dy);
        emit TokenExchange(msg.sender, i, dx, j, dy);
    }
}
