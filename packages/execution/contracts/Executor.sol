// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
    function allowance(address owner, address spender) external view returns (uint256);
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

/// Of Solidly's pairs: by the pair's own curve, with the fee of the moment.
interface ISolidlyPair {
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

/// What `swap` returns is not asked for: it would be the pool's word, and balances tell.
interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external;
}

/// Uniswap V4's, which holds all pools.
interface IPoolManager {
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        /// Below 0 for an exact input.
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    function unlock(bytes calldata data) external;
    /// Amounts of currency0 in the upper and of currency1 in the lower 128 bits, from the swapper's view.
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256);
    function sync(address currency) external;
    function settle() external payable;
    function take(address currency, address to, uint256 amount) external;
}

/// Of Curve's pools, whose coins are known by their places. What they return is not asked for either:
/// old ones return nothing.
interface IStableSwap {
    function exchange(int128 i, int128 j, uint256 amountIn, uint256 amountOutMin) external payable;
}

interface ICryptoSwap {
    function exchange(uint256 i, uint256 j, uint256 amountIn, uint256 amountOutMin) external payable;
}

/// Balancer V2's, which holds the tokens of all pools.
interface IBalancerV2Vault {
    struct SingleSwap {
        bytes32 poolId;
        /// 0: of what goes in.
        uint8 kind;
        address assetIn;
        address assetOut;
        uint256 amount;
        bytes userData;
    }

    struct BatchSwapStep {
        bytes32 poolId;
        uint256 assetInIndex;
        uint256 assetOutIndex;
        /// 0: what the step before gave.
        uint256 amount;
        bytes userData;
    }

    struct FundManagement {
        address sender;
        bool fromInternalBalance;
        address recipient;
        bool toInternalBalance;
    }

    function swap(
        SingleSwap calldata singleSwap,
        FundManagement calldata funds,
        uint256 amountOutMin,
        uint256 deadline
    ) external;
    function batchSwap(
        uint8 kind,
        BatchSwapStep[] calldata steps,
        address[] calldata assets,
        FundManagement calldata funds,
        int256[] calldata amountsInMax,
        uint256 deadline
    ) external;
}

/// Balancer V3's; `unlock` is that of `IPoolManager`, but for what it calls.
interface IBalancerV3Vault {
    struct SwapParams {
        /// 0: of what goes in.
        uint8 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amountGiven;
        uint256 limit;
        bytes userData;
    }

    function swap(SwapParams calldata params)
        external
        returns (uint256 amountCalculated, uint256 amountIn, uint256 amountOut);
    /// What has been paid since it last looked, but no more than it is told.
    function settle(address token, uint256 amountMax) external returns (uint256 amount);
    function sendTo(address token, address to, uint256 amount) external;
}

/// A vault of ERC-4626, which is the token of its shares.
interface IShares {
    function deposit(uint256 assets, address receiver) external;
    function redeem(uint256 shares, address receiver, address owner) external;
}

/// As wstETH, the token of what it wraps; it stakes and wraps native tokens that it is sent.
interface IWrapper {
    function wrap(uint256 amount) external;
    function unwrap(uint256 amount) external;
}

/// Executes swaps over paths of pools of any deployment. It has no owner and no storage, holds
/// nothing between transactions: all that it has within one is the order's. Nobody is approved
/// but the contract that a leg calls, for what that leg sells, and only for that call.
///
/// It does not know which pools are honest. A hostile one can spoil the order that names it, within
/// that order's limits; it reaches nobody else, because tokens are only ever taken from `msg.sender`
/// of the order under way, and what is called on any address has a fixed selector.
///
/// The native token is the address 0, and another token than its wrapped form: see `Order` for what
/// is wrapped once for all paths, and the kind WRAPPING for what is wrapped on the way.
///
/// The legs of a path are bytes, one leg after the other: a kind, a target, the token that comes
/// out, and data. What goes in is what the leg before gave.
///
///     byte 0          kind; its highest bit is set when the leg sells the pool's first token
///     bytes 1 to 20   target
///     bytes 21 to 40  token out
///     bytes 41 …      data
///
///     kind                 target          data
///     0 PAIR               pair            3 bytes: fee in pips, which is inside the product
///     1 VOLATILE           pair            3 bytes: fee in pips, for an exact output; an exact
///                                          input asks the pair, whose fee may have changed
///     2 STABLE             pair            none; exact input only: nothing gives the input back
///     3 CONCENTRATED       pool            none; whichever of the callbacks the fork makes
///     4 MANAGED            pool manager    3 bytes: fee, 3: tick spacing, 20: hooks, of Uniswap V4's
///                                          pool key; the currencies are the leg's tokens
///     5 WRAPPING           one byte only: highest bit set, native into wrapped; else the reverse
///     6 STABLE_SWAP        pool            1 byte: places of the tokens in Curve's pool, that of what
///                                          goes in in the upper 4 bits; native coins are native
///     7 CRYPTO_SWAP        pool            likewise
///     8 BALANCER_V2        vault           32 bytes: pool id
///     9 BALANCER_V3        vault           20 bytes: pool
///    10 SHARES             ERC-4626 vault  none; deposits where the vault is the token out
///    11 WRAPPER            as wstETH       none; wraps where the wrapper is the token out, or stakes what
///                                          is native
///
/// From kind 6 on legs are of exact input only. Legs of one manager or vault that follow each other
/// are one unlock, or one batch.
///
/// A kind has a size (`SIZES`), a part in `pathOfInput` and one in `legOfOutput`. None calls what
/// the caller says with what the caller says: targets are the caller's, selectors never.
contract Executor {
    struct Path {
        /// Exact input: goes into the first leg. Exact output: comes out of the last.
        uint256 amount;
        bytes legs;
    }

    struct Order {
        /// With native tokens sent: 0, or the wrapped one, into which all of them go at once.
        address tokenIn;
        address tokenOut;
        /// Exact input: the amounts of the paths together. Exact output: the most that may go in.
        uint256 amountIn;
        /// The least that the recipient gains, after the fee.
        uint256 amountOutMin;
        address recipient;
        /// Basis points times 2^160, plus who gets them; 0 for none. Paid in the token that comes
        /// out, wrapped where that is native.
        uint256 fee;
        uint256 deadline;
        /// The output, which is the wrapped token, is unwrapped at once.
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
    error UnsoundSwap();
    error Reentered();
    error UnexpectedNative();
    error TransferFailed(address token);

    uint256 private constant PAIR = 0;
    uint256 private constant VOLATILE = 1;
    uint256 private constant STABLE = 2;
    uint256 private constant CONCENTRATED = 3;
    uint256 private constant MANAGED = 4;
    uint256 private constant WRAPPING = 5;
    uint256 private constant STABLE_SWAP = 6;
    uint256 private constant CRYPTO_SWAP = 7;
    uint256 private constant BALANCER_V2 = 8;
    uint256 private constant BALANCER_V3 = 9;
    uint256 private constant SHARES = 10;
    /// Bytes of a leg by its kind, the first kind in the lowest byte; 0 where there is no such kind.
    uint256 private constant SIZES = 0x2929_3d49_2a2a_0143_2929_2c2c;

    uint256 private constant PIPS = 1_000_000;
    uint256 private constant FEE_BPS_MAX = 1_000;
    uint256 private constant AMOUNT_MAX = uint256(type(int256).max);
    /// The first prices that a concentrated pool does not accept.
    uint160 private constant MIN_SQRT_RATIO = 4295128739;
    uint160 private constant MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342;
    address private constant NATIVE = address(0);

    uint256 private constant TARGET = type(uint160).max;
    uint256 private constant KIND_SHIFT = 160;
    uint256 private constant KIND_MASK = 0x7f;
    uint256 private constant ZERO_FOR_ONE = 1 << 167;
    uint256 private constant FEE_SHIFT = 168;
    uint256 private constant PLACES_SHIFT = 184;
    /// Flags of `called`: the contract holds what the pool is paid; the order is of exact output; it
    /// is a pool manager or a vault, which calls `unlockCallback` and nothing else.
    uint256 private constant HELD = 1 << 193;
    uint256 private constant EXACT_OUTPUT = 1 << 194;
    uint256 private constant UNLOCK = 1 << 195;
    /// From this bit on, `called` has the place of a leg: of exact output the pool's, or the last of
    /// those that a pool manager is unlocked for.
    uint256 private constant INDEX_SHIFT = 200;
    /// Of `payer`: the input was native, and the contract holds it, wrapped or not.
    uint256 private constant NATIVE_IN = 1 << 160;
    /// Where the transient legs of a path begin, above the variables, and how many words each has.
    uint256 private constant LEGS = 1 << 8;
    uint256 private constant LEG_WORDS = 4;
    uint256 private constant WORD = 0;
    uint256 private constant TOKEN_IN = 1;
    uint256 private constant TOKEN_OUT = 2;
    uint256 private constant KEY = 3;
    /// Bytes of a leg before its token, and before its data.
    uint256 private constant TOKEN_OUT_AT = 21;
    uint256 private constant DATA_AT = 41;
    uint256 private constant BALANCER_V2_SIZE = 73;

    address public immutable wrappedNative;

    /// Who sent the order under way, with NATIVE_IN; not 0 is the lock.
    uint256 private transient payer;
    /// The one pool that may call back, once, with ZERO_FOR_ONE and flags. Set for its call only.
    uint256 private transient called;
    /// Exact input: what that pool takes, and the most of it. Exact output: of the order.
    address private transient token;
    uint256 private transient most;
    /// Exact output: what has gone in.
    uint256 private transient spent;
    /// The pool manager that is unlocked, or the pool that is called for native tokens or with them.
    /// Before a manager or vault calls back: who gets what comes out, and of exact output, how much.
    address private transient manager;
    address private transient taker;
    uint256 private transient wanted;

    constructor(address wrappedNative_) {
        wrappedNative = wrappedNative_;
    }

    receive() external payable {
        if (msg.sender != wrappedNative && msg.sender != manager) revert UnexpectedNative();
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

    function algebraSwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        payCalledPool(amount0Delta, amount1Delta);
    }

    /// Nothing is read from the data: it would be the caller's word.
    function unlockCallback(bytes calldata) external returns (bytes memory) {
        uint256 call = calledBack(UNLOCK);
        uint256 index = call >> INDEX_SHIFT;
        if (call & EXACT_OUTPUT != 0) managedOfOutput(index, wanted, taker);
        else if (kindOf(kept(0, WORD)) == MANAGED) managedOfInput(index, call & HELD != 0);
        else vaultOfInput(index);
        return "";
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
            if (order.tokenIn == NATIVE) revert InvalidOrder();
            payer = uint160(msg.sender);
        } else {
            bool isWrapped = order.tokenIn == wrappedNative;
            if (msg.value != order.amountIn || (!isWrapped && order.tokenIn != NATIVE)) revert InvalidOrder();
            payer = uint160(msg.sender) | NATIVE_IN;
            if (isWrapped) IWrappedNative(wrappedNative).deposit{value: msg.value}();
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
        return close(order, receiver, balanceBefore);
    }

    function exactOutput(Order calldata order, Path[] calldata paths) private returns (uint256 amountIn) {
        (address receiver, uint256 balanceBefore) = outputGoesTo(order);
        token = order.tokenIn;
        most = order.amountIn;
        spent = 0;
        for (uint256 i; i < paths.length; i++) {
            uint256 count = keepLegs(order, paths[i].legs);
            legOfOutput(count - 1, paths[i].amount, receiver);
        }
        amountIn = spent;
        close(order, receiver, balanceBefore);
    }

    /// Who the last pools pay, and what they have: the recipient, unless a fee is to be taken, or the
    /// output is native, which recipients may pass on at once.
    function outputGoesTo(Order calldata order) private view returns (address receiver, uint256 balanceBefore) {
        bool isGathered = order.fee >> 160 != 0 || order.nativeOut || order.tokenOut == NATIVE;
        receiver = isGathered ? address(this) : order.recipient;
        balanceBefore = balanceOf(order.tokenOut, receiver);
    }

    /// Hands the output out, checks it, gives the rest of a native input back, and unlocks.
    function close(Order calldata order, address receiver, uint256 balanceBefore) private returns (uint256 amountOut) {
        address tokenOut = order.tokenOut;
        amountOut = gained(tokenOut, receiver, balanceBefore);
        if (receiver != address(this)) {
            if (amountOut < order.amountOutMin) revert TooLittleOut(amountOut);
        } else {
            uint256 fee = amountOut * (order.fee >> 160) / 10_000;
            amountOut -= fee;
            if (order.nativeOut || tokenOut == NATIVE) {
                if (amountOut < order.amountOutMin) revert TooLittleOut(amountOut);
                if (order.nativeOut) IWrappedNative(wrappedNative).withdraw(amountOut);
                send(NATIVE, order.recipient, amountOut);
            } else {
                balanceBefore = balanceOf(tokenOut, order.recipient);
                transfer(tokenOut, order.recipient, amountOut);
                // Before the fee is paid: it may go to the same address.
                amountOut = gained(tokenOut, order.recipient, balanceBefore);
                if (amountOut < order.amountOutMin) revert TooLittleOut(amountOut);
            }
            if (fee != 0) {
                if (tokenOut == NATIVE) {
                    tokenOut = wrappedNative;
                    IWrappedNative(tokenOut).deposit{value: fee}();
                }
                transfer(tokenOut, address(uint160(order.fee)), fee);
            }
        }
        if (msg.value != 0) {
            uint256 rest = balanceOf(order.tokenIn, address(this));
            if (rest != 0) {
                if (order.tokenIn != NATIVE) IWrappedNative(wrappedNative).withdraw(rest);
                send(NATIVE, msg.sender, rest);
            }
        }
        payer = 0;
    }

    function gained(address tokenOut, address holder, uint256 balanceBefore) private view returns (uint256) {
        uint256 balance = balanceOf(tokenOut, holder);
        return balance < balanceBefore ? 0 : balance - balanceBefore;
    }

    // Exact input: from the first leg to the last, each taking all that the one before gave.

    function pathOfInput(Order calldata order, bytes calldata legs, uint256 amount, address receiver) private {
        address tokenIn = order.tokenIn;
        uint256 start;
        do {
            (uint256 leg, address tokenOut, uint256 end) = readLeg(order, legs, start, tokenIn);
            uint256 kind = kindOf(leg);
            if (kind <= STABLE) {
                if (start == 0) pay(tokenIn, targetOf(leg), amount);
                pairOfInput(leg, tokenIn, takerAhead(legs, end, receiver));
            } else if (kind == BALANCER_V3) {
                // Paid before it is called, too; behind another leg the vault knows how much.
                if (start == 0) pay(tokenIn, targetOf(leg), amount);
                token = tokenIn;
                most = start == 0 ? amount : type(uint256).max;
                (tokenOut, end) = unlockForInput(order, legs, start, 0, receiver);
            } else {
                if (start != 0) amount = balanceOf(tokenIn, address(this));
                if (amount > AMOUNT_MAX) revert InvalidOrder();
                uint256 held = start == 0 && payer & NATIVE_IN == 0 ? 0 : HELD;
                if (kind == WRAPPING) {
                    if (held == 0) pay(tokenIn, address(this), amount);
                    wrap(tokenIn, amount, takerAhead(legs, end, receiver));
                } else if (kind > WRAPPING) {
                    if (held == 0) pay(tokenIn, address(this), amount);
                    bool isAllowed = allow(leg, tokenIn, amount);
                    if (kind != BALANCER_V2) {
                        takenOfInput(leg, tokenIn, tokenOut, amount, takerAhead(legs, end, receiver));
                    } else {
                        (tokenOut, end) = batchOfInput(order, legs, start, tokenIn, amount, receiver);
                    }
                    if (isAllowed) disallow(leg, tokenIn);
                    // Of a native input the rest is given back when all paths have taken theirs.
                    if (start != 0 || held == 0) giveBack(tokenIn);
                } else {
                    token = tokenIn;
                    most = amount;
                    if (kind == CONCENTRATED) {
                        swapAtConcentrated(leg, held, int256(amount), takerAhead(legs, end, receiver));
                    } else {
                        (tokenOut, end) = unlockForInput(order, legs, start, held, receiver);
                    }
                    // The book may have ended before it was all sold.
                    if (start != 0 && most != 0) send(tokenIn, msg.sender, most);
                }
            }
            tokenIn = tokenOut;
            start = end;
        } while (start != legs.length);
    }

    /// The leg at `start`, and those that follow in the same manager: they need no unlock of their own.
    function unlockForInput(
        Order calldata order,
        bytes calldata legs,
        uint256 start,
        uint256 held,
        address receiver
    ) private returns (address tokenOut, uint256 end) {
        uint256 count;
        uint256 leg;
        address tokenIn = token;
        do {
            (leg, tokenOut, end) = readLeg(order, legs, start, tokenIn);
            keepManaged(count++, leg, tokenIn, tokenOut, keyOf(leg, legs, start));
            tokenIn = tokenOut;
            start = end;
        } while (end != legs.length && isSameManager(leg, headAt(legs, end)));
        taker = takerAhead(legs, end, receiver);
        unlock(leg, held | ((count - 1) << INDEX_SHIFT));
    }

    /// Pairs and vaults of Balancer V3 are paid before they are called, so what comes out of a leg can
    /// go straight there.
    function takerAhead(bytes calldata legs, uint256 end, address receiver) private view returns (address) {
        if (end == legs.length) return receiver;
        uint256 next = headAt(legs, end);
        uint256 kind = kindOf(next);
        return kind <= STABLE || kind == BALANCER_V3 ? targetOf(next) : address(this);
    }

    /// What the pair has above its reserve is the input: less was given where the token took a tax.
    function pairOfInput(uint256 leg, address tokenIn, address to) private {
        (uint256 reserveIn, uint256 reserveOut) = reservesOf(leg);
        address pair = targetOf(leg);
        uint256 amount = IToken(tokenIn).balanceOf(pair) - reserveIn;
        if (kindOf(leg) == PAIR) {
            amount *= PIPS - feeOf(leg);
            amount = amount * reserveOut / (reserveIn * PIPS + amount);
        } else {
            amount = ISolidlyPair(pair).getAmountOut(amount, tokenIn);
        }
        swapAtPair(leg, amount, to);
    }

    /// What the first of the kept legs takes is paid, and what the last gives is handed out.
    function managedOfInput(uint256 last, bool isHeld) private {
        (uint256 taken, uint256 amount) = swapAtManager(0, -int256(most));
        if (taken > most) revert PaymentTooLarge();
        most -= taken;
        IPoolManager target = IPoolManager(manager);
        for (uint256 index = 1; index <= last; index++) {
            uint256 sold = amount;
            uint256 bought;
            (bought, amount) = swapAtManager(index, -int256(sold));
            if (bought != sold) target.take(keptToken(index, TOKEN_IN), address(uint160(payer)), sold - bought);
        }
        settle(target, token, taken, isHeld);
        target.take(keptToken(last, TOKEN_OUT), taker, amount);
    }

    /// The vault has been paid, and says how much it found.
    function vaultOfInput(uint256 last) private {
        IBalancerV3Vault vault = IBalancerV3Vault(msg.sender);
        uint256 amount = vault.settle(token, most);
        for (uint256 index; index <= last; index++) {
            (,, amount) = vault.swap(
                IBalancerV3Vault.SwapParams({
                    kind: 0,
                    pool: address(uint160(kept(index, KEY))),
                    tokenIn: keptToken(index, TOKEN_IN),
                    tokenOut: keptToken(index, TOKEN_OUT),
                    amountGiven: amount,
                    limit: 0,
                    userData: ""
                })
            );
        }
        vault.sendTo(keptToken(last, TOKEN_OUT), taker, amount);
    }

    /// A leg whose contract takes what it sells by itself: as value, out of an allowance, or as its own.
    function takenOfInput(uint256 leg, address tokenIn, address tokenOut, uint256 amount, address to) private {
        address target = targetOf(leg);
        if (kindOf(leg) == SHARES) {
            if (tokenOut == target) return IShares(target).deposit(amount, to);
            return IShares(target).redeem(amount, to, address(this));
        }
        if (kindOf(leg) <= CRYPTO_SWAP) exchange(leg, tokenIn, tokenOut, amount);
        else if (tokenIn == NATIVE) send(NATIVE, target, amount);
        else if (tokenOut == target) IWrapper(target).wrap(amount);
        else IWrapper(target).unwrap(amount);
        // They pay who calls them.
        if (to != address(this)) send(tokenOut, to, balanceOf(tokenOut, address(this)));
    }

    /// At a pool of Curve's.
    function exchange(uint256 leg, address tokenIn, address tokenOut, uint256 amount) private {
        address target = targetOf(leg);
        uint256 placeIn = leg >> PLACES_SHIFT >> 4;
        uint256 placeOut = leg >> PLACES_SHIFT & 0xf;
        bool isNative = tokenIn == NATIVE || tokenOut == NATIVE;
        if (isNative) manager = target;
        uint256 value = tokenIn == NATIVE ? amount : 0;
        if (kindOf(leg) == STABLE_SWAP) {
            IStableSwap(target).exchange{value: value}(int128(uint128(placeIn)), int128(uint128(placeOut)), amount, 0);
        } else {
            ICryptoSwap(target).exchange{value: value}(placeIn, placeOut, amount, 0);
        }
        if (isNative) manager = address(0);
    }

    /// The leg at `start`, and those that follow in the same vault of Balancer V2.
    function batchOfInput(
        Order calldata order,
        bytes calldata legs,
        uint256 start,
        address tokenIn,
        uint256 amount,
        address receiver
    ) private returns (address tokenOut, uint256 end) {
        uint256 leg;
        (leg, tokenOut, end) = readLeg(order, legs, start, tokenIn);
        uint256 count = 1;
        while (end < legs.length && isSameManager(leg, headAt(legs, end))) {
            count++;
            end += BALANCER_V2_SIZE;
        }
        IBalancerV2Vault vault = IBalancerV2Vault(targetOf(leg));
        IBalancerV2Vault.FundManagement memory funds =
            IBalancerV2Vault.FundManagement(address(this), false, takerAhead(legs, end, receiver), false);
        if (count == 1) {
            bytes32 poolId = bytes32(wordAt(legs, start + DATA_AT));
            vault.swap(
                IBalancerV2Vault.SingleSwap(poolId, 0, tokenIn, tokenOut, amount, ""), funds, 0, block.timestamp
            );
            return (tokenOut, end);
        }
        IBalancerV2Vault.BatchSwapStep[] memory steps = new IBalancerV2Vault.BatchSwapStep[](count);
        address[] memory assets = new address[](count + 1);
        int256[] memory amountsInMax = new int256[](count + 1);
        assets[0] = tokenIn;
        amountsInMax[0] = int256(amount);
        for (uint256 index; index < count; index++) {
            (, tokenOut,) = readLeg(order, legs, start, assets[index]);
            assets[index + 1] = tokenOut;
            bytes32 poolId = bytes32(wordAt(legs, start + DATA_AT));
            steps[index] = IBalancerV2Vault.BatchSwapStep(poolId, index, index + 1, amount, "");
            amount = 0;
            start += BALANCER_V2_SIZE;
        }
        vault.batchSwap(0, steps, assets, funds, amountsInMax, block.timestamp);
    }

    // Exact output: from the last leg back, as only it knows what it needs of the one before. In the
    // callback of a pool the order's calldata is out of reach and the pool's data is the pool's
    // word: so the path waits in transient storage.

    function keepLegs(Order calldata order, bytes calldata legs) private returns (uint256 count) {
        address tokenIn = order.tokenIn;
        uint256 start;
        do {
            (uint256 leg, address tokenOut, uint256 end) = readLeg(order, legs, start, tokenIn);
            uint256 kind = kindOf(leg);
            if (kind == STABLE || kind > WRAPPING) revert InvalidOrder();
            if (kind == MANAGED) keepManaged(count, leg, tokenIn, tokenOut, keyOf(leg, legs, start));
            else keep(count, WORD, leg);
            tokenIn = tokenOut;
            start = end;
            count++;
        } while (start != legs.length);
    }

    /// `to` gets `amountOut` from a leg, and the leg what it takes for that.
    function legOfOutput(uint256 index, uint256 amountOut, address to) private {
        if (amountOut > AMOUNT_MAX) revert InvalidOrder();
        uint256 leg = kept(index, WORD);
        uint256 kind = kindOf(leg);
        if (kind <= STABLE) {
            provide(index, leastInput(leg, amountOut), targetOf(leg));
            swapAtPair(leg, amountOut, to);
        } else if (kind == CONCENTRATED) {
            swapAtConcentrated(leg, EXACT_OUTPUT | (index << INDEX_SHIFT), -int256(amountOut), to);
        } else if (kind == WRAPPING) {
            provide(index, amountOut, address(this));
            wrap(leg & ZERO_FOR_ONE == 0 ? wrappedNative : NATIVE, amountOut, to);
        } else if (targetOf(leg) == manager) {
            // Unlocked for a leg behind this one.
            managedOfOutput(index, amountOut, to);
        } else {
            taker = to;
            wanted = amountOut;
            unlock(leg, EXACT_OUTPUT | (index << INDEX_SHIFT));
        }
    }

    /// The pool of a leg gets what it takes: from the leg before, or, the first, from the payer.
    function provide(uint256 index, uint256 amount, address to) private {
        if (index != 0) return legOfOutput(index - 1, amount, to);
        spend(amount);
        if (to != address(this) || payer & NATIVE_IN == 0) pay(token, to, amount);
    }

    function spend(uint256 amount) private {
        uint256 amountIn = spent + amount;
        if (amountIn > most) revert TooMuchIn(amountIn);
        spent = amountIn;
    }

    /// The least input for which a pair gives at least `amountOut`.
    function leastInput(uint256 leg, uint256 amountOut) private view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = reservesOf(leg);
        uint256 left = reserveOut - amountOut;
        uint256 keptPips = PIPS - feeOf(leg);
        if (kindOf(leg) == PAIR) return divideUp(reserveIn * amountOut * PIPS, left * keptPips);
        // a - floor(a * fee) >= n is the same as a * (1 - fee) > n - 1.
        return (divideUp(reserveIn * amountOut, left) - 1) * PIPS / keptPips + 1;
    }

    function divideUp(uint256 dividend, uint256 divisor) private pure returns (uint256) {
        return (dividend + divisor - 1) / divisor;
    }

    /// From the leg at `index` back to the first that is in the same manager.
    function managedOfOutput(uint256 index, uint256 amountOut, address to) private {
        IPoolManager target = IPoolManager(manager);
        address tokenOut = keptToken(index, TOKEN_OUT);
        (uint256 taken, uint256 given) = swapAtManager(index, int256(amountOut));
        while (index != 0 && isSameManager(kept(index, WORD), kept(index - 1, WORD))) {
            if (taken > AMOUNT_MAX) revert InvalidOrder();
            (taken,) = swapAtManager(--index, int256(taken));
        }
        // What others give is held first: between sync and settle nobody else may be called.
        bool isHeld = index != 0 || payer & NATIVE_IN != 0;
        if (isHeld) provide(index, taken, address(this));
        else spend(taken);
        settle(target, keptToken(index, TOKEN_IN), taken, isHeld);
        target.take(tokenOut, to, given);
    }

    // Pools

    function swapAtPair(uint256 leg, uint256 amountOut, address to) private {
        bool zeroForOne = leg & ZERO_FOR_ONE != 0;
        IPair(targetOf(leg)).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, to, "");
    }

    function swapAtConcentrated(uint256 leg, uint256 flags, int256 amount, address to) private {
        bool zeroForOne = leg & ZERO_FOR_ONE != 0;
        called = (leg & (TARGET | ZERO_FOR_ONE)) | flags;
        IConcentratedPool(targetOf(leg)).swap(to, zeroForOne, amount, priceLimit(zeroForOne), "");
        // A pool that has not asked for its payment must not do so later.
        called = 0;
    }

    /// Swaps of a manager are accounted for until its unlock ends. A vault of Balancer V3 calls what it
    /// is given.
    function unlock(uint256 leg, uint256 flags) private {
        address target = targetOf(leg);
        bool isManager = kindOf(leg) == MANAGED;
        address outer = manager;
        if (isManager) manager = target;
        called = uint160(target) | UNLOCK | flags;
        IPoolManager(target).unlock(isManager ? bytes("") : abi.encodeCall(this.unlockCallback, ("")));
        called = 0;
        manager = outer;
    }

    /// A kept leg, of exact input where `amount` is below 0.
    function swapAtManager(uint256 index, int256 amount) private returns (uint256 taken, uint256 given) {
        uint256 leg = kept(index, WORD);
        uint256 key = kept(index, KEY);
        address tokenIn = keptToken(index, TOKEN_IN);
        address tokenOut = keptToken(index, TOKEN_OUT);
        bool zeroForOne = leg & ZERO_FOR_ONE != 0;
        int256 delta = IPoolManager(targetOf(leg)).swap(
            IPoolManager.PoolKey({
                currency0: zeroForOne ? tokenIn : tokenOut,
                currency1: zeroForOne ? tokenOut : tokenIn,
                fee: uint24(feeOf(leg)),
                tickSpacing: int24(uint24(key >> 160)),
                hooks: address(uint160(key))
            }),
            IPoolManager.SwapParams(zeroForOne, amount, priceLimit(zeroForOne)),
            ""
        );
        int256 deltaIn = zeroForOne ? delta >> 128 : int256(int128(delta));
        int256 deltaOut = zeroForOne ? int256(int128(delta)) : delta >> 128;
        if (deltaIn > 0 || deltaOut < 0) revert UnsoundSwap();
        return (uint256(-deltaIn), uint256(deltaOut));
    }

    /// The manager is told first, since it takes anything else for native tokens or the reverse.
    function settle(IPoolManager target, address currency, uint256 amount, bool isHeld) private {
        target.sync(currency);
        if (currency == NATIVE) return target.settle{value: amount}();
        if (isHeld) transfer(currency, address(target), amount);
        else transferFrom(currency, address(uint160(payer)), address(target), amount);
        target.settle();
    }

    /// A callback: of the pool that was just called, the first of that call, and nothing but numbers
    /// is taken from it.
    function payCalledPool(int256 amount0Delta, int256 amount1Delta) private {
        uint256 pool = calledBack(0);
        // One that is negative becomes too large.
        uint256 amount = uint256(pool & ZERO_FOR_ONE == 0 ? amount1Delta : amount0Delta);
        if (pool & EXACT_OUTPUT != 0) return provide(pool >> INDEX_SHIFT, amount, msg.sender);
        if (amount > most) revert PaymentTooLarge();
        most -= amount;
        if (pool & HELD == 0) transferFrom(token, address(uint160(payer)), msg.sender, amount);
        else send(token, msg.sender, amount);
    }

    /// `shape` is UNLOCK for a manager's callback: no other contract makes that, and it makes no other.
    function calledBack(uint256 shape) private returns (uint256 pool) {
        pool = called;
        if (pool & (TARGET | UNLOCK) != uint160(msg.sender) | shape) revert NotTheCalledPool();
        called = 0;
    }

    function reservesOf(uint256 leg) private view returns (uint256 reserveIn, uint256 reserveOut) {
        (uint256 reserve0, uint256 reserve1) = IPair(targetOf(leg)).getReserves();
        return leg & ZERO_FOR_ONE == 0 ? (reserve1, reserve0) : (reserve0, reserve1);
    }

    function priceLimit(bool zeroForOne) private pure returns (uint160) {
        return zeroForOne ? MIN_SQRT_RATIO + 1 : MAX_SQRT_RATIO - 1;
    }

    // Legs

    /// The leg that begins at `start`: target in bits 0 to 159, kind in 160 to 166, ZERO_FOR_ONE, fee
    /// in 168 to 191 where it has one; what it gives, and where it ends.
    function readLeg(Order calldata order, bytes calldata legs, uint256 start, address tokenIn)
        private
        view
        returns (uint256 leg, address tokenOut, uint256 end)
    {
        leg = headAt(legs, start);
        uint256 kind = kindOf(leg);
        uint256 size = SIZES >> (8 * kind) & 0xff;
        unchecked {
            end = start + size;
        }
        if (size == 0 || end > legs.length) revert InvalidOrder();
        if (kind == WRAPPING) {
            bool isNative = leg & ZERO_FOR_ONE != 0;
            if (tokenIn != (isNative ? NATIVE : wrappedNative)) revert InvalidOrder();
            tokenOut = isNative ? wrappedNative : NATIVE;
        } else {
            tokenOut = address(uint160(wordAt(legs, start + TOKEN_OUT_AT) >> 96));
            if (size > DATA_AT) leg |= wordAt(legs, start + DATA_AT) >> 232 << FEE_SHIFT;
        }
        // What the contract holds of a token is one thing only: input, output or what is in between.
        bool isEnd = tokenOut == order.tokenOut;
        if (isEnd != (end == legs.length) || tokenOut == order.tokenIn) revert InvalidOrder();
    }

    /// Of a managed leg: hooks in bits 0 to 159, tick spacing in 160 to 183. Of Balancer V3: the pool.
    function keyOf(uint256 leg, bytes calldata legs, uint256 start) private pure returns (uint256) {
        return wordAt(legs, start + DATA_AT) >> (kindOf(leg) == MANAGED ? 48 : 96);
    }

    /// Kind, direction and target; beyond the end of `legs`, which `readLeg` refuses, anything.
    function headAt(bytes calldata legs, uint256 start) private pure returns (uint256) {
        return wordAt(legs, start) >> 88;
    }

    function wordAt(bytes calldata legs, uint256 start) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(add(legs.offset, start))
        }
    }

    function keepManaged(uint256 index, uint256 leg, address tokenIn, address tokenOut, uint256 key) private {
        keep(index, WORD, leg);
        keep(index, TOKEN_IN, uint160(tokenIn));
        keep(index, TOKEN_OUT, uint160(tokenOut));
        keep(index, KEY, key);
    }

    function keep(uint256 index, uint256 field, uint256 value) private {
        uint256 slot = LEGS + LEG_WORDS * index + field;
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }

    function kept(uint256 index, uint256 field) private view returns (uint256 value) {
        uint256 slot = LEGS + LEG_WORDS * index + field;
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }

    function keptToken(uint256 index, uint256 field) private view returns (address) {
        return address(uint160(kept(index, field)));
    }

    function isSameManager(uint256 leg, uint256 other) private pure returns (bool) {
        return kindOf(other) == kindOf(leg) && targetOf(other) == targetOf(leg);
    }

    function targetOf(uint256 leg) private pure returns (address) {
        return address(uint160(leg));
    }

    function kindOf(uint256 leg) private pure returns (uint256) {
        return leg >> KIND_SHIFT & KIND_MASK;
    }

    function feeOf(uint256 leg) private pure returns (uint256) {
        return leg >> FEE_SHIFT;
    }

    // Payments

    /// The first leg's input.
    function pay(address tokenIn, address to, uint256 amount) private {
        uint256 from = payer;
        if (from & NATIVE_IN == 0) transferFrom(tokenIn, address(uint160(from)), to, amount);
        else send(tokenIn, to, amount);
    }

    /// Whether a leg's contract had to be allowed to take what the leg sells.
    function allow(uint256 leg, address tokenIn, uint256 amount) private returns (bool isAllowed) {
        isAllowed = tokenIn != NATIVE && tokenIn != targetOf(leg);
        if (isAllowed) approve(tokenIn, targetOf(leg), amount);
    }

    /// It may have taken less.
    function disallow(uint256 leg, address tokenIn) private {
        address target = targetOf(leg);
        if (IToken(tokenIn).allowance(address(this), target) != 0) approve(tokenIn, target, 0);
    }

    /// What a leg has left of what the contract holds for it.
    function giveBack(address ofToken) private {
        uint256 rest = balanceOf(ofToken, address(this));
        if (rest != 0) send(ofToken, msg.sender, rest);
    }

    /// Native into wrapped, or wrapped into native.
    function wrap(address from, uint256 amount, address to) private {
        if (from == NATIVE) IWrappedNative(wrappedNative).deposit{value: amount}();
        else IWrappedNative(wrappedNative).withdraw(amount);
        if (to != address(this)) send(from == NATIVE ? wrappedNative : NATIVE, to, amount);
    }

    function balanceOf(address ofToken, address holder) private view returns (uint256) {
        return ofToken == NATIVE ? holder.balance : IToken(ofToken).balanceOf(holder);
    }

    function send(address ofToken, address to, uint256 amount) private {
        if (ofToken != NATIVE) return transfer(ofToken, to, amount);
        (bool succeeded,) = to.call{value: amount}("");
        if (!succeeded) revert TransferFailed(NATIVE);
    }

    function transfer(address ofToken, address to, uint256 amount) private {
        callToken(ofToken, abi.encodeCall(IToken.transfer, (to, amount)));
    }

    function transferFrom(address ofToken, address from, address to, uint256 amount) private {
        callToken(ofToken, abi.encodeCall(IToken.transferFrom, (from, to, amount)));
    }

    function approve(address ofToken, address spender, uint256 amount) private {
        callToken(ofToken, abi.encodeCall(IToken.approve, (spender, amount)));
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
}
