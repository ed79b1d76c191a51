// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A hook of Uniswap V4 that agrees to everything; at an address with the bit of `beforeSwap`, and in
/// pools with a dynamic fee, it also has every swap pay 5 %, whatever the pool says of its fee.
contract FeeHook {
    uint256 private constant FEE_PIPS = 50_000;
    uint256 private constant OVERRIDE = 0x400000;
    bytes4 private constant BEFORE_SWAP =
        bytes4(keccak256("beforeSwap(address,(address,address,uint24,int24,address),(bool,int256,uint160),bytes)"));

    /// The selector, no delta, and the fee: as long as the longest answer that the manager reads.
    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(msg.sig, 0, msg.sig == BEFORE_SWAP ? FEE_PIPS | OVERRIDE : 0);
    }
}
