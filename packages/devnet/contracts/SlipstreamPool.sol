// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FullWidth, Steps, Ticks} from "./SlipstreamMath.sol";

interface IToken {
    function balanceOf(address holder) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface ISlipstreamFactory {
    function getSwapFee(address pool) external view returns (uint24);
    function getUnstakedFee(address pool) external view returns (uint24);
}

interface ICallback {
    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external;
    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external;
}

/// A pool with the interface, the logs and the arithmetic of Aerodrome's Slipstream: liquidity over
/// ranges of ticks, a fee that its factory says at each swap, and a memory of prices. Written for the
/// devnet; its numbers are held against those that the real one gave. It leaves out flashes, gauges
/// and their rewards: nothing is ever staked in it.
///
/// It is used through clones, so nothing of it is immutable.
contract SlipstreamPool {
    struct Slot0 {
        uint160 sqrtPriceX96;
        int24 tick;
        uint16 observationIndex;
        uint16 observationCardinality;
        uint16 observationCardinalityNext;
        bool unlocked;
    }

    struct Observation {
        uint32 blockTimestamp;
        int56 tickCumulative;
        uint160 secondsPerLiquidityCumulativeX128;
        bool initialized;
    }

    struct Tick {
        uint128 liquidityGross;
        int128 liquidityNet;
        int128 stakedLiquidityNet;
        uint256 feeGrowthOutside0X128;
        uint256 feeGrowthOutside1X128;
        uint256 rewardGrowthOutsideX128;
        int56 tickCumulativeOutside;
        uint160 secondsPerLiquidityOutsideX128;
        uint32 secondsOutside;
        bool initialized;
    }

    struct Position {
        uint128 liquidity;
        uint256 feeGrowthInside0LastX128;
        uint256 feeGrowthInside1LastX128;
        uint128 tokensOwed0;
        uint128 tokensOwed1;
    }

    struct Fees {
        uint128 token0;
        uint128 token1;
    }

    /// Of a swap under way.
    struct Course {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        bool zeroForOne;
        bool exactInput;
        uint24 feePips;
        uint24 unstakedFeePips;
        /// Of what was specified, and what the other side comes to so far.
        uint256 remaining;
        uint256 calculated;
        uint256 feeGrowthX128;
        uint128 gaugeFee;
        /// Up to the time of the swap; worked out at the first tick that is crossed.
        bool isTimed;
        int56 tickCumulative;
        uint160 secondsPerLiquidityX128;
    }

    event Initialize(uint160 sqrtPriceX96, int24 tick);
    event Mint(
        address sender,
        address indexed owner,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 amount,
        uint256 amount0,
        uint256 amount1
    );
    event Collect(
        address indexed owner,
        address recipient,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 amount0,
        uint128 amount1
    );
    event Burn(
        address indexed owner,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 amount,
        uint256 amount0,
        uint256 amount1
    );
    event Swap(
        address indexed sender,
        address indexed recipient,
        int256 amount0,
        int256 amount1,
        uint160 sqrtPriceX96,
        uint128 liquidity,
        int24 tick
    );
    event IncreaseObservationCardinalityNext(uint16 oldNext, uint16 newNext);

    uint256 private constant PIPS = 1e6;

    Slot0 public slot0;
    address public factory;
    address public token0;
    address public token1;
    address public gauge;
    address public nft;
    int24 public tickSpacing;
    uint128 public maxLiquidityPerTick;
    uint128 public liquidity;
    uint128 public constant stakedLiquidity = 0;
    uint256 public feeGrowthGlobal0X128;
    uint256 public feeGrowthGlobal1X128;
    /// Of what is not staked the gauge gets a part of the fees.
    Fees public gaugeFees;
    mapping(int24 => Tick) public ticks;
    mapping(int16 => uint256) public tickBitmap;
    mapping(bytes32 => Position) public positions;
    Observation[65535] public observations;

    modifier lock() {
        require(slot0.unlocked, "LOK");
        slot0.unlocked = false;
        _;
        slot0.unlocked = true;
    }

    function initialize(
        address factory_,
        address token0_,
        address token1_,
        int24 tickSpacing_,
        address gauge_,
        address nft_,
        uint160 sqrtPriceX96
    ) external {
        require(factory == address(0) && factory_ != address(0), "AI");
        (factory, token0, token1, tickSpacing, gauge, nft) =
            (factory_, token0_, token1_, tickSpacing_, gauge_, nft_);
        int24 tick = Ticks.tickAt(sqrtPriceX96);
        maxLiquidityPerTick =
            type(uint128).max / uint128(uint24(2 * (Ticks.MAX_TICK / tickSpacing_) + 1));
        observations[0] = Observation(uint32(block.timestamp), 0, 0, true);
        slot0 = Slot0(sqrtPriceX96, tick, 0, 1, 1, true);
        emit Initialize(sqrtPriceX96, tick);
    }

    /// In pips. Asked at each swap, before it.
    function fee() public view returns (uint24) {
        return ISlipstreamFactory(factory).getSwapFee(address(this));
    }

    function unstakedFee() public view returns (uint24) {
        return ISlipstreamFactory(factory).getUnstakedFee(address(this));
    }

    // Swaps

    /// Exact input when the amount is positive, exact output when it is negative.
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external lock returns (int256 amount0, int256 amount1) {
        require(amountSpecified != 0, "AS");
        Slot0 memory start = slot0;
        require(
            zeroForOne
                ? sqrtPriceLimitX96 < start.sqrtPriceX96 && sqrtPriceLimitX96 > Ticks.MIN_SQRT_RATIO
                : sqrtPriceLimitX96 > start.sqrtPriceX96 && sqrtPriceLimitX96 < Ticks.MAX_SQRT_RATIO,
            "SPL"
        );
        Course memory course;
        (course.sqrtPriceX96, course.tick, course.liquidity) = (start.sqrtPriceX96, start.tick, liquidity);
        (course.zeroForOne, course.exactInput) = (zeroForOne, amountSpecified > 0);
        (course.feePips, course.unstakedFeePips) = (fee(), unstakedFee());
        course.remaining = uint256(amountSpecified > 0 ? amountSpecified : -amountSpecified);
        course.feeGrowthX128 = zeroForOne ? feeGrowthGlobal0X128 : feeGrowthGlobal1X128;
        uint256 specified = course.remaining;
        while (course.remaining > 0 && course.sqrtPriceX96 != sqrtPriceLimitX96)
            goOn(course, start, sqrtPriceLimitX96);
        finish(course, start);

        int256 done = int256(specified - course.remaining);
        int256 other = int256(course.calculated);
        if (!course.exactInput) (done, other) = (other, done);
        (amount0, amount1) = zeroForOne ? (done, -other) : (-other, done);
        settle(recipient, zeroForOne, amount0, amount1, data);
        emit Swap(msg.sender, recipient, amount0, amount1, course.sqrtPriceX96, course.liquidity, course.tick);
    }

    /// A step to the next tick of the bitmap's word, or to its end, or to the limit, or as far as the
    /// amount goes.
    function goOn(Course memory course, Slot0 memory start, uint160 limit) private {
        uint160 from = course.sqrtPriceX96;
        (int24 next, bool initialized) = nextTick(course.tick, course.zeroForOne);
        uint160 priceOfNext = Ticks.sqrtRatioAt(next);
        bool beyondLimit = course.zeroForOne ? priceOfNext < limit : priceOfNext > limit;
        Steps.Step memory step = Steps.step(
            from,
            beyondLimit ? limit : priceOfNext,
            course.liquidity,
            course.remaining,
            course.exactInput,
            course.feePips
        );
        course.sqrtPriceX96 = step.sqrtPriceX96;
        if (course.exactInput) {
            course.remaining -= step.amountIn + step.fee;
            course.calculated += step.amountOut;
        } else {
            course.remaining -= step.amountOut;
            course.calculated += step.amountIn + step.fee;
        }
        if (course.liquidity > 0) earn(course, step.fee);
        if (course.sqrtPriceX96 == priceOfNext) {
            if (initialized) cross(course, start, next);
            course.tick = course.zeroForOne ? next - 1 : next;
        } else if (course.sqrtPriceX96 != from) {
            course.tick = Ticks.tickAt(course.sqrtPriceX96);
        }
    }

    function earn(Course memory course, uint256 earned) private pure {
        uint256 ofGauge = FullWidth.mulDivUp(earned, course.unstakedFeePips, PIPS);
        course.gaugeFee += uint128(ofGauge);
        unchecked {
            course.feeGrowthX128 += FullWidth.mulDiv(earned - ofGauge, 1 << 128, course.liquidity);
        }
    }

    function cross(Course memory course, Slot0 memory start, int24 tick) private {
        if (!course.isTimed) {
            course.isTimed = true;
            Observation memory now_ = observed(start, liquidity);
            course.tickCumulative = now_.tickCumulative;
            course.secondsPerLiquidityX128 = now_.secondsPerLiquidityCumulativeX128;
        }
        Tick storage crossed = ticks[tick];
        unchecked {
            (uint256 growth0, uint256 growth1) = course.zeroForOne
                ? (course.feeGrowthX128, feeGrowthGlobal1X128)
                : (feeGrowthGlobal0X128, course.feeGrowthX128);
            crossed.feeGrowthOutside0X128 = growth0 - crossed.feeGrowthOutside0X128;
            crossed.feeGrowthOutside1X128 = growth1 - crossed.feeGrowthOutside1X128;
            crossed.tickCumulativeOutside = course.tickCumulative - crossed.tickCumulativeOutside;
            crossed.secondsPerLiquidityOutsideX128 =
                course.secondsPerLiquidityX128 - crossed.secondsPerLiquidityOutsideX128;
            crossed.secondsOutside = uint32(block.timestamp) - crossed.secondsOutside;
        }
        int128 net = crossed.liquidityNet;
        course.liquidity = added(course.liquidity, course.zeroForOne ? -net : net);
    }

    function finish(Course memory course, Slot0 memory start) private {
        if (course.tick != start.tick) write(start, liquidity);
        (slot0.sqrtPriceX96, slot0.tick) = (course.sqrtPriceX96, course.tick);
        if (liquidity != course.liquidity) liquidity = course.liquidity;
        if (course.zeroForOne) {
            feeGrowthGlobal0X128 = course.feeGrowthX128;
            if (course.gaugeFee > 0) gaugeFees.token0 += course.gaugeFee;
        } else {
            feeGrowthGlobal1X128 = course.feeGrowthX128;
            if (course.gaugeFee > 0) gaugeFees.token1 += course.gaugeFee;
        }
    }

    /// Sends what goes out, and has the caller pay the rest.
    function settle(address recipient, bool zeroForOne, int256 amount0, int256 amount1, bytes calldata data) private {
        (address tokenIn, address tokenOut) = zeroForOne ? (token0, token1) : (token1, token0);
        (int256 amountIn, int256 amountOut) = zeroForOne ? (amount0, amount1) : (amount1, amount0);
        if (amountOut < 0) send(tokenOut, recipient, uint256(-amountOut));
        uint256 before = IToken(tokenIn).balanceOf(address(this));
        ICallback(msg.sender).uniswapV3SwapCallback(amount0, amount1, data);
        require(before + uint256(amountIn) <= IToken(tokenIn).balanceOf(address(this)), "IIA");
    }

    // Liquidity

    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes calldata data)
        external
        lock
        returns (uint256 amount0, uint256 amount1)
    {
        require(amount > 0, "no liquidity");
        (amount0, amount1) = modify(recipient, tickLower, tickUpper, int128(amount));
        uint256 before0 = IToken(token0).balanceOf(address(this));
        uint256 before1 = IToken(token1).balanceOf(address(this));
        ICallback(msg.sender).uniswapV3MintCallback(amount0, amount1, data);
        require(before0 + amount0 <= IToken(token0).balanceOf(address(this)), "M0");
        require(before1 + amount1 <= IToken(token1).balanceOf(address(this)), "M1");
        emit Mint(msg.sender, recipient, tickLower, tickUpper, amount, amount0, amount1);
    }

    /// Nothing is paid out: that is what `collect` is for.
    function burn(int24 tickLower, int24 tickUpper, uint128 amount)
        external
        lock
        returns (uint256 amount0, uint256 amount1)
    {
        (amount0, amount1) = modify(msg.sender, tickLower, tickUpper, -int128(amount));
        Position storage position = positions[keyOf(msg.sender, tickLower, tickUpper)];
        position.tokensOwed0 += uint128(amount0);
        position.tokensOwed1 += uint128(amount1);
        emit Burn(msg.sender, tickLower, tickUpper, amount, amount0, amount1);
    }

    function collect(address recipient, int24 tickLower, int24 tickUpper, uint128 amount0Max, uint128 amount1Max)
        external
        lock
        returns (uint128 amount0, uint128 amount1)
    {
        Position storage position = positions[keyOf(msg.sender, tickLower, tickUpper)];
        amount0 = amount0Max < position.tokensOwed0 ? amount0Max : position.tokensOwed0;
        amount1 = amount1Max < position.tokensOwed1 ? amount1Max : position.tokensOwed1;
        position.tokensOwed0 -= amount0;
        position.tokensOwed1 -= amount1;
        if (amount0 > 0) send(token0, recipient, amount0);
        if (amount1 > 0) send(token1, recipient, amount1);
        emit Collect(msg.sender, recipient, tickLower, tickUpper, amount0, amount1);
    }

    /// What a change of a position is worth at the price, rounded in the pool's favour.
    function modify(address owner, int24 tickLower, int24 tickUpper, int128 delta)
        private
        returns (uint256 amount0, uint256 amount1)
    {
        require(tickLower < tickUpper, "TLU");
        require(tickLower >= -Ticks.MAX_TICK && tickUpper <= Ticks.MAX_TICK, "TLM");
        Slot0 memory start = slot0;
        updatePosition(start, owner, tickLower, tickUpper, delta);
        if (delta == 0) return (0, 0);
        bool up = delta > 0;
        uint128 size = uint128(up ? delta : -delta);
        (uint160 lower, uint160 upper) = (Ticks.sqrtRatioAt(tickLower), Ticks.sqrtRatioAt(tickUpper));
        if (start.tick < tickLower) return (Steps.amount0(lower, upper, size, up), 0);
        if (start.tick >= tickUpper) return (0, Steps.amount1(lower, upper, size, up));
        write(start, liquidity);
        liquidity = added(liquidity, delta);
        amount0 = Steps.amount0(start.sqrtPriceX96, upper, size, up);
        amount1 = Steps.amount1(lower, start.sqrtPriceX96, size, up);
    }

    function updatePosition(Slot0 memory start, address owner, int24 tickLower, int24 tickUpper, int128 delta) private {
        bool flippedLower;
        bool flippedUpper;
        if (delta != 0) {
            Observation memory now_ = observed(start, liquidity);
            flippedLower = updateTick(tickLower, start.tick, delta, delta, now_);
            flippedUpper = updateTick(tickUpper, start.tick, delta, -delta, now_);
        }
        (uint256 inside0, uint256 inside1) = growthInside(tickLower, tickUpper, start.tick);
        Position storage position = positions[keyOf(owner, tickLower, tickUpper)];
        uint128 held = position.liquidity;
        require(delta != 0 || held > 0, "NP");
        unchecked {
            position.tokensOwed0 +=
                uint128(FullWidth.mulDiv(inside0 - position.feeGrowthInside0LastX128, held, 1 << 128));
            position.tokensOwed1 +=
                uint128(FullWidth.mulDiv(inside1 - position.feeGrowthInside1LastX128, held, 1 << 128));
        }
        if (delta != 0) position.liquidity = added(held, delta);
        (position.feeGrowthInside0LastX128, position.feeGrowthInside1LastX128) = (inside0, inside1);
        if (delta >= 0) return;
        if (flippedLower) delete ticks[tickLower];
        if (flippedUpper) delete ticks[tickUpper];
    }

    /// Whether the tick has come to be used, or to be used no more.
    function updateTick(int24 tick, int24 current, int128 delta, int128 net, Observation memory now_)
        private
        returns (bool flipped)
    {
        Tick storage info = ticks[tick];
        uint128 before = info.liquidityGross;
        uint128 gross = added(before, delta);
        require(gross <= maxLiquidityPerTick, "LO");
        flipped = (gross == 0) != (before == 0);
        if (before == 0) {
            info.initialized = true;
            // All growth so far is taken to have happened below.
            if (tick <= current) {
                info.feeGrowthOutside0X128 = feeGrowthGlobal0X128;
                info.feeGrowthOutside1X128 = feeGrowthGlobal1X128;
                info.tickCumulativeOutside = now_.tickCumulative;
                info.secondsPerLiquidityOutsideX128 = now_.secondsPerLiquidityCumulativeX128;
                info.secondsOutside = uint32(block.timestamp);
            }
        }
        info.liquidityGross = gross;
        info.liquidityNet += net;
        if (!flipped) return false;
        require(tick % tickSpacing == 0, "off the spacing");
        int24 compressed = tick / tickSpacing;
        tickBitmap[int16(compressed >> 8)] ^= 1 << uint8(uint24(compressed));
    }

    function growthInside(int24 tickLower, int24 tickUpper, int24 current)
        private
        view
        returns (uint256 inside0, uint256 inside1)
    {
        Tick storage lower = ticks[tickLower];
        Tick storage upper = ticks[tickUpper];
        unchecked {
            (uint256 below0, uint256 below1) = (lower.feeGrowthOutside0X128, lower.feeGrowthOutside1X128);
            (uint256 above0, uint256 above1) = (upper.feeGrowthOutside0X128, upper.feeGrowthOutside1X128);
            if (current < tickLower) return (below0 - above0, below1 - above1);
            if (current >= tickUpper) return (above0 - below0, above1 - below1);
            return (feeGrowthGlobal0X128 - below0 - above0, feeGrowthGlobal1X128 - below1 - above1);
        }
    }

    /// The next tick of the word in which this one lies, or the word's end.
    function nextTick(int24 tick, bool zeroForOne) private view returns (int24 next, bool initialized) {
        int24 compressed = tick / tickSpacing;
        if (tick < 0 && tick % tickSpacing != 0) compressed--;
        unchecked {
            if (zeroForOne) {
                uint256 bit = uint8(uint24(compressed));
                uint256 masked = tickBitmap[int16(compressed >> 8)] << (255 - bit) >> (255 - bit);
                initialized = masked != 0;
                next = compressed - int24(uint24(bit - (initialized ? highestBit(masked) : 0)));
            } else {
                compressed++;
                uint256 bit = uint8(uint24(compressed));
                uint256 masked = tickBitmap[int16(compressed >> 8)] >> bit << bit;
                initialized = masked != 0;
                next = compressed
                    + int24(uint24((initialized ? highestBit(masked & (0 - masked)) : 255) - bit));
            }
            next *= tickSpacing;
        }
        if (next < -Ticks.MAX_TICK) next = -Ticks.MAX_TICK;
        if (next > Ticks.MAX_TICK) next = Ticks.MAX_TICK;
    }

    // The memory of prices, a ring

    function increaseObservationCardinalityNext(uint16 next) external lock {
        uint16 old = slot0.observationCardinalityNext;
        if (next <= old) return;
        // Not zero, so that a swap that comes there pays no more than any other.
        for (uint16 index = old; index < next; index++) observations[index].blockTimestamp = 1;
        slot0.observationCardinalityNext = next;
        emit IncreaseObservationCardinalityNext(old, next);
    }

    function observe(uint32[] calldata secondsAgos)
        external
        view
        returns (int56[] memory tickCumulatives, uint160[] memory secondsPerLiquidityCumulativeX128s)
    {
        tickCumulatives = new int56[](secondsAgos.length);
        secondsPerLiquidityCumulativeX128s = new uint160[](secondsAgos.length);
        Slot0 memory start = slot0;
        for (uint256 index = 0; index < secondsAgos.length; index++) {
            Observation memory then = observedAt(start, uint32(block.timestamp) - secondsAgos[index]);
            tickCumulatives[index] = then.tickCumulative;
            secondsPerLiquidityCumulativeX128s[index] = then.secondsPerLiquidityCumulativeX128;
        }
    }

    /// Remembers the price that has held until now; once in a second.
    function write(Slot0 memory start, uint128 held) private {
        uint32 last = observations[start.observationIndex].blockTimestamp;
        if (last == uint32(block.timestamp)) return;
        uint16 cardinality = start.observationCardinality;
        if (start.observationCardinalityNext > cardinality && start.observationIndex == cardinality - 1)
            cardinality = start.observationCardinalityNext;
        uint16 index = (start.observationIndex + 1) % cardinality;
        observations[index] = observed(start, held);
        (slot0.observationIndex, slot0.observationCardinality) = (index, cardinality);
    }

    /// The last observation, carried on to now.
    function observed(Slot0 memory start, uint128 held) private view returns (Observation memory) {
        return carried(observations[start.observationIndex], uint32(block.timestamp), start.tick, held);
    }

    function carried(Observation memory last, uint32 time, int24 tick, uint128 held)
        private
        pure
        returns (Observation memory)
    {
        uint32 elapsed = time - last.blockTimestamp;
        if (elapsed == 0) return last;
        unchecked {
            return Observation(
                time,
                last.tickCumulative + int56(tick) * int56(uint56(elapsed)),
                last.secondsPerLiquidityCumulativeX128 + uint160((uint256(elapsed) << 128) / (held > 0 ? held : 1)),
                true
            );
        }
    }

    /// On the line between the observations before and after a time.
    function observedAt(Slot0 memory start, uint32 time) private view returns (Observation memory) {
        Observation memory last = observations[start.observationIndex];
        if (last.blockTimestamp <= time) return carried(last, time, start.tick, liquidity);
        uint256 cardinality = start.observationCardinality;
        uint256 oldest = (start.observationIndex + 1) % cardinality;
        if (!observations[oldest].initialized) oldest = 0;
        require(observations[oldest].blockTimestamp <= time, "OLD");
        // Places after the oldest: the time lies at or after the lower, and before the upper.
        uint256 lower = 0;
        uint256 upper = (start.observationIndex + cardinality - oldest) % cardinality;
        while (upper - lower > 1) {
            uint256 middle = (lower + upper) / 2;
            if (observations[(oldest + middle) % cardinality].blockTimestamp <= time) lower = middle;
            else upper = middle;
        }
        Observation memory one = observations[(oldest + lower) % cardinality];
        if (one.blockTimestamp == time) return one;
        return between(one, observations[(oldest + upper) % cardinality], time);
    }

    function between(Observation memory one, Observation memory other, uint32 time)
        private
        pure
        returns (Observation memory)
    {
        int56 whole = int56(uint56(other.blockTimestamp - one.blockTimestamp));
        uint32 elapsed = time - one.blockTimestamp;
        int56 ticksASecond = (other.tickCumulative - one.tickCumulative) / whole;
        uint256 gained = other.secondsPerLiquidityCumulativeX128 - one.secondsPerLiquidityCumulativeX128;
        return Observation(
            time,
            one.tickCumulative + ticksASecond * int56(uint56(elapsed)),
            one.secondsPerLiquidityCumulativeX128 + uint160(gained * elapsed / uint56(whole)),
            true
        );
    }

    function keyOf(address owner, int24 tickLower, int24 tickUpper) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(owner, tickLower, tickUpper));
    }

    function added(uint128 amount, int128 delta) private pure returns (uint128) {
        return delta < 0 ? amount - uint128(-delta) : amount + uint128(delta);
    }

    /// Of a number that is not 0.
    function highestBit(uint256 value) private pure returns (uint256 top) {
        for (uint256 bits = 128; bits > 0; bits >>= 1) if (value >> (top + bits) > 0) top += bits;
    }

    function send(address token, address to, uint256 amount) private {
        require(IToken(token).transfer(to, amount), "not sent");
    }
}
