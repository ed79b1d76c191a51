// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CurveStableSwap} from "./CurveStableSwap.sol";

/// A StableSwap pool with the interface of Curve's crypto pools, whose indices are uint256.
contract CurveIndexedPool is CurveStableSwap {
    event TokenExchange(
        address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought
    );

    constructor(
        address[] memory coins_,
        uint256[] memory rates_,
        uint256 amplification_,
        uint256 fee_,
        uint256 adminFee
    ) CurveStableSwap(coins_, rates_, amplification_, fee_, adminFee) {}

    function get_dy(uint256 i, uint256 j, uint256 dx) external view returns (uint256) {
        return quote(i, j, dx);
    }

    function exchange(uint256 i, uint256 j, uint256 dx, uint256 min_dy) external payable returns (uint256 dy) {
        dy = swap(i, j, dx, min_dy);
        emit TokenExchange(msg.sender, i, dx, j, dy);
    }
}
