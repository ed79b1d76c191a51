// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC20 {
    function balanceOf(address) external view returns (uint256);
    function transfer(address, uint256) external;
}

/// A volatile pair as Aerodrome's: the fee is taken off the input, rounded down, and leaves the pair
/// before its product is looked at.
contract FeeFirstPair {
    address public immutable token0;
    address public immutable token1;
    address public immutable fees;
    uint256 public immutable feePips;
    uint256 private reserve0;
    uint256 private reserve1;

    constructor(address tokenA, address tokenB, uint256 feePips_, address fees_) {
        (token0, token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        feePips = feePips_;
        fees = fees_;
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, block.timestamp);
    }

    function sync() public {
        reserve0 = IERC20(token0).balanceOf(address(this));
        reserve1 = IERC20(token1).balanceOf(address(this));
    }

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external {
        require(data.length == 0, "no flash swaps here");
        require(amount0Out != 0 || amount1Out != 0, "nothing out");
        require(amount0Out < reserve0 && amount1Out < reserve1, "too much out");
        if (amount0Out != 0) IERC20(token0).transfer(to, amount0Out);
        if (amount1Out != 0) IERC20(token1).transfer(to, amount1Out);
        uint256 in0 = takeFee(token0, reserve0 - amount0Out);
        uint256 in1 = takeFee(token1, reserve1 - amount1Out);
        require(in0 != 0 || in1 != 0, "nothing in");
        uint256 before = reserve0 * reserve1;
        sync();
        require(reserve0 * reserve1 >= before, "K");
    }

    function takeFee(address token, uint256 kept) private returns (uint256 amountIn) {
        uint256 balance = IERC20(token).balanceOf(address(this));
        amountIn = balance > kept ? balance - kept : 0;
        uint256 fee = amountIn * feePips / 1_000_000;
        if (fee != 0) IERC20(token).transfer(fees, fee);
    }
}
