// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// Pairs differ in the width of what they return, and some return the time as well.
interface IPair {
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// What `swap` returns is not asked for: it would be the pool's word, and balances tell.
interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external;
}

/// Executes swaps over paths of pools of any deployment. It has no owner and no storage, approves
/// nobody, and holds nothing between transactions: all that it has within one is the order's.
///
/// It does not know which pools are honest. A hostile one can spoil the order that names it, within
/// that order's limits; it reaches nobody else, because tokens are only ever taken from `msg.sender`
/// of the order under way, and what is called on any address has a fixed selector.
contract Executor {
    struct Leg {
        /// Pool in bits 0 to 159, fee in pips in 160 to 183, kind in 184 to 191, and bit 192 set when
        /// the leg sells the pool's token0.
        uint256 pool;
        address tokenOut;
    }

    struct Path {
        /// Exact input: goes into the first leg. Exact output: comes out of the last.
        uint256 amount;
        Leg[] legs;
    }

    struct Order {
        address tokenIn;
        address tokenOut;
        /// Exact input: the amounts of the paths together. Exact output: the most that may go in.
        uint256 amountIn;
        /// The least that the recipient gains, after the fee.
        uint256 amountOutMin;
        address recipient;
        /// Basis points times 2^160, plus who gets them; 0 for none.
        uint256 fee;
        uint256 deadline;
        /// The output is unwrapped.
        bool nativeOut;
    }

    struct Permit {
        uint256 amount;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    error DeadlinePassed();
    error TooLittleOut(uint256 amountOut);
    error TooMuchIn(uint256 amountIn);
    error InvalidOrder();
    error NotTheCalledPool();
    error PaymentTooLarge();
    error Reentered();
    error NotWrappedNative();
    error TransferFailed(address token);

    /// Kinds of legs. Kind 1 is a pair that takes its fee first.
    uint256 private constant PAIR_FEE_INSIDE = 0;
    uint256 private constant CONCENTRATED = 2;

    uint256 private constant PIPS = 1_000_000;
    uint256 private constant FEE_BPS_MAX = 1_000;
    uint256 private constant AMOUNT_MAX = uint256(type(int256).max);
    /// The first prices that a concentrated pool does not accept.
    uint160 private constant MIN_SQRT_RATIO = 4295128739;
    uint160 private constant MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342;

    uint256 private constant POOL = type(uint160).max;
    uint256 private constant ZERO_FOR_ONE = 1 << 192;
    /// Flags of `called`: the contract holds what the pool is paid; the order is of exact output.
    uint256 private constant HELD = 1 << 193;
    uint256 private constant EXACT_OUTPUT = 1 << 194;
    /// From this bit on, `called` has the number of legs before the pool's.
    uint256 private constant INDEX_SHIFT = 200;
    /// Of `payer`: the input was native, and the contract holds it, wrapped.
    uint256 private constant NATIVE = 1 << 160;
    /// Where the transient legs of a path begin: above the variables.
    uint256 private constant LEGS = 1 << 8;

    address public immutable wrappedNative;

    /// Who sent the order under way, with NATIVE; not 0 is the lock.
    uint256 private transient payer;
    /// The one pool that may call back, once, with ZERO_FOR_ONE and flags. Set for its call only.
    uint256 private transient called;
    /// Exact input: what that pool takes, and the most of it. Exact output: of the order.
    address private transient token;
    uint256 private transient most;
    /// Exact output: what has gone in.
    uint256 private transient spent;

    constructor(address wrappedNative_) {
        wrappedNative = wrappedNative_;
    }

    receive() external payable {
        if (msg.sender != wrappedNative) revert NotWrappedNative();
    }

    function swapExactInput(Order calldata order, Path[] calldata paths) external payable returns (uint256 amountOut) {
        open(order);
        return exactInput(order, paths);
    }

    function swapExactOutput(Order calldata order, Path[] calldata paths) external payable returns (uint256 amountIn) {
        open(order);
        return exactOutput(order, paths);
    }

    function swapExactInputWithPermit(Order calldata order, Path[] calldata paths, Permit calldata permit)
        external
        returns (uint256 amountOut)
    {
        open(order);
        usePermit(order.tokenIn, permit);
        return exactInput(order, paths);
    }

    function swapExactOutputWithPermit(Order calldata order, Path[] calldata paths, Permit calldata permit)
        external
        returns (uint256 amountIn)
    {
        open(order);
        usePermit(order.tokenIn, permit);
        return exactOutput(order, paths);
    }

    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        payCalledPool(amount0Delta, amount1Delta);
    }

    function pancakeV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        payCalledPool(amount0Delta, amount1Delta);
    }

    /// Checks the terms, locks, and wraps what was sent.
    function open(Order calldata order) private {
        if (payer != 0) revert Reentered();
        if (block.timestamp > order.deadline) revert DeadlinePassed();
        uint256 feeBps = order.fee >> 160;
        address feeRecipient = address(uint160(order.fee));
        if (
            order.amountOutMin == 0 || order.tokenIn == order.tokenOut || order.recipient == address(0)
                || order.recipient == address(this) || feeBps > FEE_BPS_MAX
                || (feeBps != 0 && (feeRecipient == address(0) || feeRecipient == address(this)))
                || (order.nativeOut && order.tokenOut != wrappedNative)
        ) revert InvalidOrder();
        if (msg.value == 0) {
            payer = uint160(msg.sender);
        } else {
            if (msg.value != order.amountIn || order.tokenIn != wrappedNative) revert InvalidOrder();
            payer = uint160(msg.sender) | NATIVE;
            IWrappedNative(wrappedNative).deposit{value: msg.value}();
        }
    }

    /// Anybody may have used a signature before us: then the allowance is there, and it is the
    /// payment that tells.
    function usePermit(address tokenIn, Permit calldata permit) private {
        try IToken(tokenIn).permit(
            msg.sender, address(this), permit.amount, permit.deadline, permit.v, permit.r, permit.s
        ) {} catch {}
    }

    function exactInput(Order calldata order, Path[] calldata paths) private returns (uint256 amountOut) {
        (address receiver, uint256 balanceBefore) = outputGoesTo(order);
        uint256 left = order.amountIn;
        for (uint256 i; i < paths.length; i++) {
            uint256 amount = paths[i].amount;
            if (amount > left) revert InvalidOrder();
            left -= amount;
            pathOfInput(order, paths[i].legs, amount, receiver);
        }
        if (left != 0) revert InvalidOrder();
        return close(order, balanceBefore);
    }

    function exactOutput(Order calldata order, Path[] calldata paths) private returns (uint256 amountIn) {
        (address receiver, uint256 balanceBefore) = outputGoesTo(order);
        token = order.tokenIn;
        most = order.amountIn;
        spent = 0;
        for (uint256 i; i < paths.length; i++) {
            keepLegs(order, paths[i].legs);
            legOfOutput(paths[i].legs.length - 1, paths[i].amount, receiver);
        }
        amountIn = spent;
        close(order, balanceBefore);
    }

    /// Who the last pools pay, and what they have: the recipient, unless a fee is to be taken or the
    /// output to be unwrapped.
    function outputGoesTo(Order calldata order) private view returns (address receiver, uint256 balanceBefore) {
        receiver = order.fee >> 160 != 0 || order.nativeOut ? address(this) : order.recipient;
        balanceBefore = IToken(order.tokenOut).balanceOf(receiver);
    }

    /// Hands the output out, checks it, gives the rest of a native input back, and unlocks.
    function close(Order calldata order, uint256 balanceBefore) private returns (uint256 amountOut) {
        uint256 feeBps = order.fee >> 160;
        if (feeBps == 0 && !order.nativeOut) {
            amountOut = gained(order.tokenOut, order.recipient, balanceBefore);
            if (amountOut < order.amountOutMin) revert TooLittleOut(amountOut);
        } else {
            uint256 gross = gained(order.tokenOut, address(this), balanceBefore);
            uint256 fee = gross * feeBps / 10_000;
            amountOut = gross - fee;
            if (order.nativeOut) {
                if (amountOut < order.amountOutMin) revert TooLittleOut(amountOut);
                sendNative(order.recipient, amountOut);
            } else {
                balanceBefore = IToken(order.tokenOut).balanceOf(order.recipient);
                transfer(order.tokenOut, order.recipient, amountOut);
                // Before the fee is paid: it may go to the same address.
                amountOut = gained(order.tokenOut, order.recipient, balanceBefore);
                if (amountOut < order.amountOutMin) revert TooLittleOut(amountOut);
            }
            if (fee != 0) transfer(order.tokenOut, address(uint160(order.fee)), fee);
        }
        if (msg.value != 0) {
            uint256 rest = IToken(wrappedNative).balanceOf(address(this));
            if (rest != 0) sendNative(msg.sender, rest);
        }
        payer = 0;
    }

    function gained(address tokenOut, address holder, uint256 balanceBefore) private view returns (uint256) {
        uint256 balance = IToken(tokenOut).balanceOf(holder);
        return balance < balanceBefore ? 0 : balance - balanceBefore;
    }

    // Exact input: from the first leg to the last, each taking all that the one before gave.

    function pathOfInput(Order calldata order, Leg[] calldata legs, uint256 amount, address receiver) private {
        checkEnd(order, legs);
        address tokenIn = order.tokenIn;
        for (uint256 i; i < legs.length; i++) {
            uint256 leg = legs[i].pool;
            bool isLast = i + 1 == legs.length;
            address to = isLast ? receiver : payableAhead(legs[i + 1].pool);
            if (kindOf(leg) != CONCENTRATED) {
                if (i == 0) pay(tokenIn, poolOf(leg), amount);
                pairOfInput(leg, tokenIn, to);
            } else if (i == 0) {
                concentratedOfInput(leg, payer & NATIVE == 0 ? 0 : HELD, tokenIn, amount, to);
            } else {
                amount = IToken(tokenIn).balanceOf(address(this));
                concentratedOfInput(leg, HELD, tokenIn, amount, to);
                // The book may have ended before it was all sold.
                if (most != 0) transfer(tokenIn, msg.sender, most);
            }
            tokenIn = legs[i].tokenOut;
            if (!isLast) checkBetween(order, tokenIn);
        }
    }

    /// A pair is paid before it is called, so what comes out of a leg can go straight there.
    function payableAhead(uint256 leg) private view returns (address) {
        return kindOf(leg) == CONCENTRATED ? address(this) : poolOf(leg);
    }

    /// What the pair has above its reserve is the input: less was given where the token took a tax.
    function pairOfInput(uint256 leg, address tokenIn, address to) private {
        (uint256 reserveIn, uint256 reserveOut) = reservesOf(leg);
        uint256 amountIn = IToken(tokenIn).balanceOf(poolOf(leg)) - reserveIn;
        uint256 feePips = feeOf(leg);
        if (kindOf(leg) == PAIR_FEE_INSIDE) {
            amountIn *= PIPS - feePips;
            reserveIn *= PIPS;
        } else {
            amountIn -= amountIn * feePips / PIPS;
        }
        swapAtPair(leg, amountIn * reserveOut / (reserveIn + amountIn), to);
    }

    function concentratedOfInput(uint256 leg, uint256 flags, address tokenIn, uint256 amount, address to) private {
        if (amount > AMOUNT_MAX) revert InvalidOrder();
        token = tokenIn;
        most = amount;
        swapAtConcentrated(leg, flags, int256(amount), to);
    }

    // Exact output: from the last leg back, as only it knows what it needs of the one before. In the
    // callback of a pool the order's calldata is out of reach and the pool's data is the pool's
    // word: so the path waits in transient storage.

    function keepLegs(Order calldata order, Leg[] calldata legs) private {
        checkEnd(order, legs);
        address tokenIn = order.tokenIn;
        for (uint256 i; i < legs.length; i++) {
            if (i != 0) checkBetween(order, tokenIn);
            uint256 leg = legs[i].pool;
            uint256 slot = LEGS + i;
            assembly ("memory-safe") {
                tstore(slot, leg)
            }
            kindOf(leg);
            tokenIn = legs[i].tokenOut;
        }
    }

    /// `to` gets `amountOut` from a leg, and the leg what it takes for that.
    function legOfOutput(uint256 index, uint256 amountOut, address to) private {
        uint256 leg;
        uint256 slot = LEGS + index;
        assembly ("memory-safe") {
            leg := tload(slot)
        }
        if (kindOf(leg) == CONCENTRATED) {
            if (amountOut > AMOUNT_MAX) revert InvalidOrder();
            swapAtConcentrated(leg, EXACT_OUTPUT | (index << INDEX_SHIFT), -int256(amountOut), to);
        } else {
            provide(index, leastInput(leg, amountOut), poolOf(leg));
            swapAtPair(leg, amountOut, to);
        }
    }

    /// The pool of a leg gets what it takes: from the leg before, or, the first, from the payer.
    function provide(uint256 index, uint256 amount, address pool) private {
        if (index != 0) return legOfOutput(index - 1, amount, pool);
        uint256 amountIn = spent + amount;
        if (amountIn > most) revert TooMuchIn(amountIn);
        spent = amountIn;
        pay(token, pool, amount);
    }

    /// The least input for which a pair gives at least `amountOut`.
    function leastInput(uint256 leg, uint256 amountOut) private view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = reservesOf(leg);
        uint256 left = reserveOut - amountOut;
        uint256 keptPips = PIPS - feeOf(leg);
        if (kindOf(leg) == PAIR_FEE_INSIDE) return divideUp(reserveIn * amountOut * PIPS, left * keptPips);
        // a - floor(a * fee) >= n is the same as a * (1 - fee) > n - 1.
        return (divideUp(reserveIn * amountOut, left) - 1) * PIPS / keptPips + 1;
    }

    function divideUp(uint256 dividend, uint256 divisor) private pure returns (uint256) {
        return (dividend + divisor - 1) / divisor;
    }

    // Pools

    function swapAtPair(uint256 leg, uint256 amountOut, address to) private {
        bool zeroForOne = leg & ZERO_FOR_ONE != 0;
        IPair(poolOf(leg)).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, to, "");
    }

    function swapAtConcentrated(uint256 leg, uint256 flags, int256 amount, address to) private {
        bool zeroForOne = leg & ZERO_FOR_ONE != 0;
        uint160 sqrtPriceLimitX96 = zeroForOne ? MIN_SQRT_RATIO + 1 : MAX_SQRT_RATIO - 1;
        called = (leg & (POOL | ZERO_FOR_ONE)) | flags;
        IConcentratedPool(poolOf(leg)).swap(to, zeroForOne, amount, sqrtPriceLimitX96, "");
        // A pool that has not asked for its payment must not do so later.
        called = 0;
    }

    /// A callback: of the pool that was just called, the first of that call, and nothing but numbers
    /// is taken from it.
    function payCalledPool(int256 amount0Delta, int256 amount1Delta) private {
        uint256 pool = called;
        if (msg.sender != poolOf(pool)) revert NotTheCalledPool();
        called = 0;
        // One that is negative becomes too large.
        uint256 amount = uint256(pool & ZERO_FOR_ONE == 0 ? amount1Delta : amount0Delta);
        if (pool & EXACT_OUTPUT != 0) return provide(pool >> INDEX_SHIFT, amount, msg.sender);
        if (amount > most) revert PaymentTooLarge();
        most -= amount;
        if (pool & HELD == 0) transferFrom(token, address(uint160(payer)), msg.sender, amount);
        else transfer(token, msg.sender, amount);
    }

    function reservesOf(uint256 leg) private view returns (uint256 reserveIn, uint256 reserveOut) {
        (uint256 reserve0, uint256 reserve1) = IPair(poolOf(leg)).getReserves();
        return leg & ZERO_FOR_ONE == 0 ? (reserve1, reserve0) : (reserve0, reserve1);
    }

    function poolOf(uint256 leg) private pure returns (address) {
        return address(uint160(leg));
    }

    function feeOf(uint256 leg) private pure returns (uint256) {
        return uint24(leg >> 160);
    }

    function kindOf(uint256 leg) private pure returns (uint256 kind) {
        kind = uint8(leg >> 184);
        if (kind > CONCENTRATED || leg >> 193 != 0) revert InvalidOrder();
    }

    function checkEnd(Order calldata order, Leg[] calldata legs) private pure {
        if (legs.length == 0 || legs[legs.length - 1].tokenOut != order.tokenOut) revert InvalidOrder();
    }

    /// What the contract holds of a token is one thing only: input, output or what is in between.
    function checkBetween(Order calldata order, address between) private pure {
        if (between == order.tokenIn || between == order.tokenOut) revert InvalidOrder();
    }

    // Payments

    /// The first leg's input.
    function pay(address tokenIn, address to, uint256 amount) private {
        uint256 from = payer;
        if (from & NATIVE == 0) transferFrom(tokenIn, address(uint160(from)), to, amount);
        else transfer(tokenIn, to, amount);
    }

    function transfer(address ofToken, address to, uint256 amount) private {
        callToken(ofToken, abi.encodeCall(IToken.transfer, (to, amount)));
    }

    function transferFrom(address ofToken, address from, address to, uint256 amount) private {
        callToken(ofToken, abi.encodeCall(IToken.transferFrom, (from, to, amount)));
    }

    /// Some tokens return nothing when all is well, as an address without a token does.
    function callToken(address ofToken, bytes memory data) private {
        (bool succeeded, bytes memory answer) = ofToken.call(data);
        bool agreed = answer.length == 0 ? ofToken.code.length != 0 : isTrue(answer);
        if (!succeeded || !agreed) revert TransferFailed(ofToken);
    }

    function isTrue(bytes memory answer) private pure returns (bool) {
        return answer.length >= 32 && abi.decode(answer, (uint256)) == 1;
    }

    function sendNative(address to, uint256 amount) private {
        IWrappedNative(wrappedNative).withdraw(amount);
        (bool succeeded,) = to.call{value: amount}("");
        if (!succeeded) revert TransferFailed(wrappedNative);
    }
}
