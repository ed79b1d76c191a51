// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// What a concentrated pool at an address would take and give: it is asked to swap, and its callback
/// is answered by a revert that carries the amounts.
contract SwapQuoter {
    error Quoted(int256 amount0, int256 amount1);
    error Answered(bool succeeded, bytes answer);

    uint160 private constant MIN_SQRT_RATIO = 4295128739;
    uint160 private constant MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342;

    /// Exact input when the amount is positive, exact output when it is negative. The amounts are
    /// the pool's gains; they are of a part where its liquidity runs out.
    function quote(address pool, bool zeroForOne, int256 amount) external returns (int256 amount0, int256 amount1) {
        uint160 limit = zeroForOne ? MIN_SQRT_RATIO + 1 : MAX_SQRT_RATIO - 1;
        try IPool(pool).swap(address(this), zeroForOne, amount, limit, "") {
            revert("no callback");
        } catch (bytes memory reason) {
            if (reason.length != 68 || bytes4(reason) != Quoted.selector) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
            assembly ("memory-safe") {
                amount0 := mload(add(reason, 36))
                amount1 := mload(add(reason, 68))
            }
        }
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external pure {
        revert Quoted(amount0, amount1);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external pure {
        revert Quoted(amount0, amount1);
    }

    function algebraSwapCallback(int256 amount0, int256 amount1, bytes calldata) external pure {
        revert Quoted(amount0, amount1);
    }

    /// What a call answers, or reverts with, and then is undone: queries of Balancer V3 leave its Vault
    /// as a swap would, for whatever the same transaction asks next.
    function ask(address target, bytes calldata data) external {
        try this.askAndRevert(target, data) {
            revert("no answer");
        } catch (bytes memory reason) {
            bytes memory packed = new bytes(reason.length - 4);
            for (uint256 k; k < packed.length; k++) packed[k] = reason[k + 4];
            (bool succeeded, bytes memory answer) = abi.decode(packed, (bool, bytes));
            assembly ("memory-safe") {
                switch succeeded
                case 0 { revert(add(answer, 32), mload(answer)) }
                default { return(add(answer, 32), mload(answer)) }
            }
        }
    }

    function askAndRevert(address target, bytes calldata data) external {
        (bool succeeded, bytes memory answer) = target.call(data);
        revert Answered(succeeded, answer);
    }
}
