// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Says what a token is worth in 10^-18 of another, as Balancer's pools ask. Written for the devnet:
/// everybody may change it.
contract RateProvider {
    uint256 public getRate;

    constructor(uint256 rate) {
        getRate = rate;
    }

    function setRate(uint256 rate) external {
        getRate = rate;
    }
}
