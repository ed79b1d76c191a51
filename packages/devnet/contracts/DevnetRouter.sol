// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
    function balanceOf(address holder) external view returns (uint256);
}

/// A pool at an address of its own. Algebra's differ in `mint` and `burn`.
interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
    function burn(int24 tickLower, int24 tickUpper, uint128 liquidity)
        external
        returns (uint256 amount0, uint256 amount1);
    function collect(address recipient, int24 tickLower, int24 tickUpper, uint128 amount0Max, uint128 amount1Max)
        external
        returns (uint128 amount0, uint128 amount1);
}

interface IAlgebraPool {
    function mint(
        address leftoversRecipient,
        address recipient,
        int24 tickLower,
        int24 tickUpper,
        uint128 liquidity,
        bytes calldata data
    ) external returns (uint256 amount0, uint256 amount1, uint128 liquidityActual);
    function burn(int24 tickLower, int24 tickUpper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
}

interface ISolidlyPool {
    function token0() external view returns (address);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// Uniswap V4.
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

interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256);
    function modifyLiquidity(PoolKey calldata key, ModifyLiquidityParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta, int256 fees);
    function donate(PoolKey calldata key, uint256 amount0, uint256 amount1, bytes calldata hookData)
        external
        returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

/// For the traders of a devnet: swaps in pools that no published router reaches, and positions in
/// them. It takes of the caller's tokens what a pool asks for, without any limit, and whoever calls
/// it may take what others let it take: accounts of a devnet are everybody's.
contract DevnetRouter {
    struct Position {
        /// The pool's address, or in Uniswap V4 its id.
        bytes32 pool;
        int24 tickLower;
        int24 tickUpper;
        uint128 liquidity;
    }

    IPoolManager public immutable poolManager;
    mapping(address => Position[]) private positions;
    /// Of the call under way.
    address private transient payer;
    address private transient called;

    constructor(IPoolManager poolManager_) {
        poolManager = poolManager_;
    }

    receive() external payable {}

    modifier paying(address pool) {
        require(payer == address(0), "under way");
        (payer, called) = (msg.sender, pool);
        _;
        (payer, called) = (address(0), address(0));
    }

    /// All of these calls of this contract, by the caller. Each of them is payable, since others among
    /// them may need what is sent; the rest goes back.
    function multicall(bytes[] calldata calls) external payable {
        for (uint256 index = 0; index < calls.length; index++) {
            (bool went, bytes memory answer) = address(this).delegatecall(calls[index]);
            bubble(went, answer);
        }
        if (address(this).balance > 0) payNative(msg.sender, address(this).balance);
    }

    /// The book, in which the last takes the place of one that is gone.
    function positionsOf(address owner) external view returns (Position[] memory) {
        return positions[owner];
    }

    // Pools with an address

    /// Exact input when the amount is positive, exact output when it is negative; up to the price.
    function swap(address pool, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96)
        external
        payable
        paying(pool)
        returns (int256 amount0, int256 amount1)
    {
        return IPool(pool).swap(msg.sender, zeroForOne, amount, sqrtPriceLimitX96, "");
    }

    /// For an owner, paid by the caller.
    function mint(address pool, bool isAlgebra, address owner, int24 tickLower, int24 tickUpper, uint128 liquidity)
        external
        payable
        paying(pool)
    {
        if (isAlgebra) {
            (,, liquidity) =
                IAlgebraPool(pool).mint(msg.sender, address(this), tickLower, tickUpper, liquidity, "");
        } else {
            IPool(pool).mint(address(this), tickLower, tickUpper, liquidity, "");
        }
        positions[owner].push(Position(bytes32(uint256(uint160(pool))), tickLower, tickUpper, liquidity));
    }

    /// Of the caller's position at an index; what was earned there comes with it.
    function burn(address pool, bool isAlgebra, uint256 index, uint128 liquidity) external payable {
        Position memory position = shrink(bytes32(uint256(uint160(pool))), index, liquidity);
        (int24 lower, int24 upper) = (position.tickLower, position.tickUpper);
        if (isAlgebra) IAlgebraPool(pool).burn(lower, upper, liquidity, "");
        else IPool(pool).burn(lower, upper, liquidity);
        IPool(pool).collect(msg.sender, lower, upper, type(uint128).max, type(uint128).max);
    }

    function swapSolidly(address pool, address tokenIn, uint256 amountIn)
        external
        payable
        returns (uint256 amountOut)
    {
        amountOut = ISolidlyPool(pool).getAmountOut(amountIn, tokenIn);
        bool zeroForOne = tokenIn == ISolidlyPool(pool).token0();
        take(tokenIn, msg.sender, pool, amountIn);
        ISolidlyPool(pool).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, msg.sender, "");
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        payPool(amount0, amount1);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        payPool(amount0, amount1);
    }

    function algebraSwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        payPool(amount0, amount1);
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        payPool(int256(amount0), int256(amount1));
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        payPool(int256(amount0), int256(amount1));
    }

    function algebraMintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        payPool(int256(amount0), int256(amount1));
    }

    function payPool(int256 amount0, int256 amount1) private {
        require(msg.sender == called, "not the called pool");
        if (amount0 > 0) take(IPool(msg.sender).token0(), payer, msg.sender, uint256(amount0));
        if (amount1 > 0) take(IPool(msg.sender).token1(), payer, msg.sender, uint256(amount1));
    }

    // Pools of many tokens

    /// Calls any contract, which may take these amounts of the caller's tokens, and hands on what there
    /// is of them afterwards; token 0 is the native one. Shares in a pool that come of it stay here, and
    /// whoever calls may give them back to the pool.
    function perform(address target, bytes calldata data, address[] calldata tokens, uint256[] calldata amounts)
        external
        payable
        returns (uint256[] memory received)
    {
        uint256 value;
        for (uint256 k; k < tokens.length; k++) {
            if (tokens[k] == address(0)) {
                value = amounts[k];
            } else if (amounts[k] > 0) {
                take(tokens[k], msg.sender, address(this), amounts[k]);
                IToken(tokens[k]).approve(target, amounts[k]);
            }
        }
        (bool went, bytes memory answer) = target.call{value: value}(data);
        bubble(went, answer);
        received = new uint256[](tokens.length);
        for (uint256 k; k < tokens.length; k++) {
            bool isNative = tokens[k] == address(0);
            received[k] = isNative ? address(this).balance : IToken(tokens[k]).balanceOf(address(this));
            if (received[k] == 0) continue;
            if (isNative) payNative(msg.sender, received[k]);
            else require(IToken(tokens[k]).transfer(msg.sender, received[k]), "not handed on");
        }
    }

    // Uniswap V4

    /// Exact input when the amount is positive, exact output when it is negative: as above, and not
    /// as the manager has it.
    function swapV4(PoolKey calldata key, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96)
        external
        payable
        paying(address(poolManager))
    {
        SwapParams memory params = SwapParams(zeroForOne, -amount, sqrtPriceLimitX96);
        unlock(key, abi.encodeCall(IPoolManager.swap, (key, params, "")));
    }

    function mintV4(PoolKey calldata key, address owner, int24 tickLower, int24 tickUpper, uint128 liquidity)
        external
        payable
        paying(address(poolManager))
    {
        positions[owner].push(Position(keccak256(abi.encode(key)), tickLower, tickUpper, liquidity));
        modifyV4(key, owner, tickLower, tickUpper, int256(uint256(liquidity)));
    }

    function burnV4(PoolKey calldata key, uint256 index, uint128 liquidity)
        external
        payable
        paying(address(poolManager))
    {
        Position memory position = shrink(keccak256(abi.encode(key)), index, liquidity);
        modifyV4(key, msg.sender, position.tickLower, position.tickUpper, -int256(uint256(liquidity)));
    }

    function donateV4(PoolKey calldata key, uint256 amount0, uint256 amount1)
        external
        payable
        paying(address(poolManager))
    {
        unlock(key, abi.encodeCall(IPoolManager.donate, (key, amount0, amount1, "")));
    }

    function modifyV4(PoolKey calldata key, address owner, int24 lower, int24 upper, int256 delta) private {
        bytes32 salt = bytes32(uint256(uint160(owner)));
        ModifyLiquidityParams memory params = ModifyLiquidityParams(lower, upper, delta, salt);
        unlock(key, abi.encodeCall(IPoolManager.modifyLiquidity, (key, params, "")));
    }

    function unlock(PoolKey calldata key, bytes memory call) private {
        poolManager.unlock(abi.encode(key.currency0, key.currency1, call));
    }

    /// Does what was asked for, and settles what the manager answers with first: the caller's delta.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == called, "not the manager");
        (address currency0, address currency1, bytes memory call) = abi.decode(data, (address, address, bytes));
        (bool went, bytes memory answer) = msg.sender.call(call);
        bubble(went, answer);
        int256 delta;
        assembly ("memory-safe") {
            delta := mload(add(answer, 32))
        }
        settle(currency0, int128(delta >> 128));
        settle(currency1, int128(delta));
        return "";
    }

    function settle(address currency, int128 delta) private {
        if (delta > 0) poolManager.take(currency, payer, uint128(delta));
        if (delta >= 0) return;
        uint256 owed = uint256(-int256(delta));
        if (currency == address(0)) {
            poolManager.settle{value: owed}();
            return;
        }
        poolManager.sync(currency);
        take(currency, payer, address(poolManager), owed);
        poolManager.settle();
    }

    function shrink(bytes32 pool, uint256 index, uint128 liquidity) private returns (Position memory position) {
        Position[] storage own = positions[msg.sender];
        position = own[index];
        require(position.pool == pool, "of another pool");
        own[index].liquidity -= liquidity;
        if (own[index].liquidity > 0) return position;
        own[index] = own[own.length - 1];
        own.pop();
    }

    function take(address token, address from, address to, uint256 amount) private {
        require(IToken(token).transferFrom(from, to, amount), "not paid");
    }

    function payNative(address to, uint256 amount) private {
        (bool went, bytes memory answer) = to.call{value: amount}("");
        bubble(went, answer);
    }

    function bubble(bool went, bytes memory answer) private pure {
        if (went) return;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
