// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC20 {
    function balanceOf(address) external view returns (uint256);
    function transfer(address, uint256) external;
}

/// A pair as Aerodrome's: the fee is taken off the input, rounded down, and leaves the pair before
/// its curve is looked at: x·y where it is volatile, x³y + xy³ where it is stable. For tokens of 18
/// decimals.
contract SolidlyPair {
    address public immutable token0;
    address public immutable token1;
    address public immutable fees;
    bool public immutable stable;
    uint256 public feePips;
    uint256 private reserve0;
    uint256 private reserve1;

    uint256 private constant ONE = 1e18;
    uint256 private constant ROUNDS_MAX = 255;

    constructor(address tokenA, address tokenB, bool stable_, uint256 feePips_, address fees_) {
        (token0, token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        stable = stable_;
        feePips = feePips_;
        fees = fees_;
    }

    /// Of the factory, which may do so at any time.
    function setFee(uint256 feePips_) external {
        feePips = feePips_;
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, block.timestamp);
    }

    function sync() public {
        reserve0 = IERC20(token0).balanceOf(address(this));
        reserve1 = IERC20(token1).balanceOf(address(this));
    }

    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256) {
        (uint256 reserveA, uint256 reserveB) = tokenIn == token0 ? (reserve0, reserve1) : (reserve1, reserve0);
        amountIn -= amountIn * feePips / 1_000_000;
        if (!stable) return amountIn * reserveB / (reserveA + amountIn);
        return reserveB - yOf(amountIn + reserveA, k(reserveA, reserveB), reserveB);
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
        uint256 before = k(reserve0, reserve1);
        sync();
        require(k(reserve0, reserve1) >= before, "K");
    }

    function takeFee(address token, uint256 kept) private returns (uint256 amountIn) {
        uint256 balance = IERC20(token).balanceOf(address(this));
        amountIn = balance > kept ? balance - kept : 0;
        uint256 fee = amountIn * feePips / 1_000_000;
        if (fee != 0) IERC20(token).transfer(fees, fee);
    }

    function k(uint256 x, uint256 y) private view returns (uint256) {
        if (!stable) return x * y;
        return x * y / ONE * (x * x / ONE + y * y / ONE) / ONE;
    }

    function yOf(uint256 x0, uint256 xy, uint256 y) private view returns (uint256) {
        for (uint256 round; round < ROUNDS_MAX; round++) {
            uint256 found = x0 * y / ONE * (x0 * x0 / ONE + y * y / ONE) / ONE;
            uint256 slope = 3 * x0 * (y * y / ONE) / ONE + x0 * x0 / ONE * x0 / ONE;
            if (found < xy) {
                uint256 dy = (xy - found) * ONE / slope;
                if (dy == 0) {
                    if (found == xy) return y;
                    if (k(x0, y + 1) > xy) return y + 1;
                    dy = 1;
                }
                y += dy;
            } else {
                uint256 dy = (found - xy) * ONE / slope;
                if (dy == 0) {
                    if (found == xy || x0 * (y - 1) / ONE * (x0 * x0 / ONE + (y - 1) * (y - 1) / ONE) / ONE < xy) return y;
                    dy = 1;
                }
                y -= dy;
            }
        }
        revert("!y");
    }
}
