// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC20 {
    function balanceOf(address holder) external view returns (uint256);
    function approve(address spender, uint256 amount) external;
    function transfer(address to, uint256 amount) external;
}

/// A pool of ticks at an address of its own. Algebra's differs in `mint`.
interface ITicksPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external;
    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 liquidity, bytes calldata data) external;
    function mint(
        address leftoversRecipient,
        address recipient,
        int24 tickLower,
        int24 tickUpper,
        uint128 liquidity,
        bytes calldata data
    ) external;
}

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

struct ModifyLiquidityParams {
    int24 tickLower;
    int24 tickUpper;
    int256 liquidityDelta;
    bytes32 salt;
}

/// Uniswap V4's.
interface IPoolManager {
    function unlock(bytes calldata data) external;
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256);
    function modifyLiquidity(PoolKey calldata key, ModifyLiquidityParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta, int256 fees);
    function sync(address currency) external;
    function settle() external payable;
}

/// Gives pools liquidity out of what it holds, says what a swap would take and give, and makes pools
/// of PancakeSwap V3, whose published package lacks what makes them.
contract PoolTools {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    /// From the pool's view: what it takes is above 0.
    error Quoted(int256 amount0, int256 amount1);

    uint160 private constant MIN_SQRT_RATIO = 4295128739;
    uint160 private constant MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342;

    /// Of the pool that is being made.
    Parameters public parameters;

    receive() external payable {}

    function makePool(bytes memory code, Parameters calldata parameters_) external returns (address pool) {
        parameters = parameters_;
        assembly ("memory-safe") {
            pool := create(0, add(code, 32), mload(code))
        }
        require(pool != address(0), "no pool");
    }

    function mint(ITicksPool pool, bool isAlgebra, int24 tickLower, int24 tickUpper, uint128 liquidity) external {
        if (isAlgebra) pool.mint(address(this), address(this), tickLower, tickUpper, liquidity, "");
        else pool.mint(address(this), tickLower, tickUpper, liquidity, "");
    }

    function mintManaged(IPoolManager manager, PoolKey calldata key, int24 tickLower, int24 tickUpper, int256 liquidity)
        external
    {
        manager.unlock(abi.encode(true, key, ModifyLiquidityParams(tickLower, tickUpper, liquidity, 0)));
    }

    /// What a call gains of a token, or of the native one where that is 0, for what it may take: of a
    /// token, or as value. Reverts with the answer.
    function quoteCall(
        address target,
        bytes calldata data,
        address tokenIn,
        uint256 amountIn,
        address tokenOut
    ) external {
        if (tokenIn != address(0)) IERC20(tokenIn).approve(target, amountIn);
        uint256 before = heldOf(tokenOut);
        (bool succeeded,) = target.call{value: tokenIn == address(0) ? amountIn : 0}(data);
        require(succeeded, "no quote");
        revert Quoted(int256(amountIn), int256(before) - int256(heldOf(tokenOut)));
    }

    function heldOf(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
    }

    /// What is sent along is for the call.
    function perform(address target, bytes calldata data) external payable returns (bytes memory answer) {
        bool succeeded;
        (succeeded, answer) = target.call{value: msg.value}(data);
        require(succeeded, "not performed");
    }

    /// Exact input when the amount is above 0. Reverts with the answer.
    function quote(ITicksPool pool, bool zeroForOne, int256 amount) external {
        pool.swap(address(this), zeroForOne, amount, limit(zeroForOne), "");
    }

    function quoteManaged(IPoolManager manager, PoolKey calldata key, bool zeroForOne, int256 amount) external {
        manager.unlock(abi.encode(false, key, SwapParams(zeroForOne, -amount, limit(zeroForOne)), uint256(0)));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        bool isMint = abi.decode(data, (bool));
        IPoolManager manager = IPoolManager(msg.sender);
        if (!isMint) {
            (, PoolKey memory pool, SwapParams memory swap) = abi.decode(data, (bool, PoolKey, SwapParams));
            int256 swapped = manager.swap(pool, swap, "");
            revert Quoted(-(swapped >> 128), -int256(int128(swapped)));
        }
        (, PoolKey memory key, ModifyLiquidityParams memory params) =
            abi.decode(data, (bool, PoolKey, ModifyLiquidityParams));
        (int256 delta,) = manager.modifyLiquidity(key, params, "");
        settle(manager, key.currency0, uint256(-(delta >> 128)));
        settle(manager, key.currency1, uint256(-int256(int128(delta))));
        return "";
    }

    function settle(IPoolManager manager, address currency, uint256 amount) private {
        manager.sync(currency);
        if (currency == address(0)) return manager.settle{value: amount}();
        IERC20(currency).transfer(address(manager), amount);
        manager.settle();
    }

    function limit(bool zeroForOne) private pure returns (uint160) {
        return zeroForOne ? MIN_SQRT_RATIO + 1 : MAX_SQRT_RATIO - 1;
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        pay(amount0, amount1);
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        pay(amount0, amount1);
    }

    function algebraMintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        pay(amount0, amount1);
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

    function pay(uint256 amount0, uint256 amount1) private {
        if (amount0 != 0) IERC20(ITicksPool(msg.sender).token0()).transfer(msg.sender, amount0);
        if (amount1 != 0) IERC20(ITicksPool(msg.sender).token1()).transfer(msg.sender, amount1);
    }
}
