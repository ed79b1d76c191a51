// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Products of full width, divided.
library FullWidth {
    /// a × b / divisor, rounded down. Fails where that is more than 256 bits.
    function mulDiv(uint256 a, uint256 b, uint256 divisor) internal pure returns (uint256) {
        unchecked {
            (uint256 high, uint256 low) = product(a, b);
            if (high == 0) return low / divisor;
            require(high < divisor, "too wide");
            // What is left without its remainder is a multiple of the divisor: its lowest bits say it.
            uint256 rest = mulmod(a, b, divisor);
            if (rest > low) high--;
            low -= rest;
            // Powers of two first, as only odd numbers have an inverse modulo 2^256.
            uint256 power = divisor & (0 - divisor);
            low = low / power | high * ((0 - power) / power + 1);
            return low * inverse(divisor / power);
        }
    }

    function mulDivUp(uint256 a, uint256 b, uint256 divisor) internal pure returns (uint256) {
        uint256 result = mulDiv(a, b, divisor);
        return mulmod(a, b, divisor) == 0 ? result : result + 1;
    }

    function divideUp(uint256 a, uint256 divisor) internal pure returns (uint256) {
        return a / divisor + (a % divisor == 0 ? 0 : 1);
    }

    function product(uint256 a, uint256 b) private pure returns (uint256 high, uint256 low) {
        unchecked {
            low = a * b;
            // Modulo 2^256 - 1, high and low are added.
            uint256 sum = mulmod(a, b, type(uint256).max);
            high = sum - low;
            if (sum < low) high--;
        }
    }

    /// Of an odd number, modulo 2^256: right in three bits, then in twice as many each time.
    function inverse(uint256 odd) private pure returns (uint256 result) {
        unchecked {
            result = odd;
            for (uint256 bits = 3; bits < 256; bits <<= 1) result *= 2 - odd * result;
        }
    }
}

/// The price at tick i is 1.0001^i; √price is kept in Q64.96.
library Ticks {
    int24 internal constant MAX_TICK = 887272;
    /// The √prices of the outermost ticks.
    uint160 internal constant MIN_SQRT_RATIO = 4295128739;
    uint160 internal constant MAX_SQRT_RATIO = 1461446703485210103287273052203988822378723970342;

    /// At 16 × i: 1.0001^(-2^i / 2) in Q128, as Uniswap V3 rounds it.
    bytes private constant FACTORS_X128 =
        hex"fffcb933bd6fad37aa2d162d1a594001fff97272373d413259a46990580e213a"
        hex"fff2e50f5f656932ef12357cf3c7fdccffe5caca7e10e4e61c3624eaa0941cd0"
        hex"ffcb9843d60f6159c9db58835c926644ff973b41fa98c081472e6896dfb254c0"
        hex"ff2ea16466c96a3843ec78b326b52861fe5dee046a99a2a811c461f1969c3053"
        hex"fcbe86c7900a88aedcffc83b479aa3a4f987a7253ac413176f2b074cf7815e54"
        hex"f3392b0822b70005940c7a398e4b70f3e7159475a2c29b7443b29c7fa6e889d9"
        hex"d097f3bdfd2022b8845ad8f792aa5825a9f746462d870fdf8a65dc1f90e061e5"
        hex"70d869a156d2a1b890bb3df62baf32f731be135f97d08fd981231505542fcfa6"
        hex"09aa508b5b7a84e1c677de54f3e99bc9005d6af8dedb81196699c329225ee604"
        hex"00002216e584f5fa1ea926041bedfe9800000000048a170391f7dc42444e8fa2";
    /// Ticks for a doubling of √price: 2 / log2(1.0001), in Q32.
    int256 private constant TICKS_A_DOUBLING_X32 = 59543866431254;
    /// Of the logarithm: a tick is 75 of its units.
    uint256 private constant FRACTION_BITS = 20;

    function sqrtRatioAt(int24 tick) internal pure returns (uint160) {
        uint256 magnitude = uint256(int256(tick < 0 ? -tick : tick));
        require(magnitude <= uint24(MAX_TICK), "T");
        bytes memory factors = FACTORS_X128;
        uint256 ratioX128 = 1 << 128;
        unchecked {
            for (uint256 end = 16; magnitude > 0; (magnitude, end) = (magnitude >> 1, end + 16)) {
                if (magnitude & 1 == 0) continue;
                uint256 factor;
                assembly ("memory-safe") {
                    // The word that ends where the factor does.
                    factor := and(mload(add(factors, end)), 0xffffffffffffffffffffffffffffffff)
                }
                ratioX128 = ratioX128 * factor >> 128;
            }
            if (tick > 0) ratioX128 = type(uint256).max / ratioX128;
            // Many ticks are asked for in a swap: the memory is of use once more.
            assembly ("memory-safe") {
                mstore(0x40, factors)
            }
            // Up, so that the tick of this price is this tick again.
            return uint160((ratioX128 + type(uint32).max) >> 32);
        }
    }

    /// The last tick whose price is no more than this: near its logarithm, and then by the prices.
    function tickAt(uint160 sqrtPriceX96) internal pure returns (int24 tick) {
        require(sqrtPriceX96 >= MIN_SQRT_RATIO && sqrtPriceX96 < MAX_SQRT_RATIO, "R");
        unchecked {
            tick = int24((log2(sqrtPriceX96) * TICKS_A_DOUBLING_X32) >> (32 + FRACTION_BITS));
            // At the lowest prices the logarithm may come out a tick too low.
            if (tick < -MAX_TICK) tick = -MAX_TICK;
            while (sqrtRatioAt(tick) > sqrtPriceX96) tick--;
            while (sqrtRatioAt(tick + 1) <= sqrtPriceX96) tick++;
        }
    }

    /// Of √price: bit by bit, each time squared.
    function log2(uint256 sqrtPriceX96) private pure returns (int256 result) {
        unchecked {
            uint256 top = 0;
            for (uint256 bits = 128; bits > 0; bits >>= 1) if (sqrtPriceX96 >> (top + bits) > 0) top += bits;
            result = int256(top) - 96;
            uint256 x = sqrtPriceX96 << (255 - top) >> 128;
            for (uint256 bit = 0; bit < FRACTION_BITS; bit++) {
                x = x * x >> 127;
                result <<= 1;
                if (x >> 128 == 0) continue;
                result |= 1;
                x >>= 1;
            }
        }
    }
}

/// Amounts and prices where liquidity is constant. What a swapper pays is rounded up, what it gets
/// down, and a price goes no further than was paid for.
library Steps {
    uint256 private constant PIPS = 1e6;

    /// Where a step of a swap ends, and what it takes and gives; the fee on top of what it takes.
    struct Step {
        uint160 sqrtPriceX96;
        uint256 amountIn;
        uint256 amountOut;
        uint256 fee;
    }

    /// Of token0 between two prices: L × (1 / lower − 1 / upper).
    function amount0(uint160 one, uint160 other, uint128 liquidity, bool up) internal pure returns (uint256) {
        (uint256 lower, uint256 upper) = one < other ? (one, other) : (other, one);
        uint256 scaled = uint256(liquidity) << 96;
        return up
            ? FullWidth.divideUp(FullWidth.mulDivUp(scaled, upper - lower, upper), lower)
            : FullWidth.mulDiv(scaled, upper - lower, upper) / lower;
    }

    /// Of token1 between two prices: L × (upper − lower).
    function amount1(uint160 one, uint160 other, uint128 liquidity, bool up) internal pure returns (uint256) {
        uint256 distance = one < other ? other - one : one - other;
        return up
            ? FullWidth.mulDivUp(liquidity, distance, 1 << 96)
            : FullWidth.mulDiv(liquidity, distance, 1 << 96);
    }

    /// Towards a price, by an input or an output of at most `remaining`.
    function step(
        uint160 from,
        uint160 target,
        uint128 liquidity,
        uint256 remaining,
        bool exactInput,
        uint24 feePips
    ) internal pure returns (Step memory result) {
        bool zeroForOne = target <= from;
        uint256 usable = exactInput ? FullWidth.mulDiv(remaining, PIPS - feePips, PIPS) : remaining;
        uint256 whole = exactInput
            ? paid(from, target, liquidity, zeroForOne)
            : received(from, target, liquidity, zeroForOne);
        bool reached = usable >= whole;
        result.sqrtPriceX96 = reached
            ? target
            : exactInput
                ? afterInput(from, liquidity, usable, zeroForOne)
                : afterOutput(from, liquidity, usable, zeroForOne);
        // An output may come to the very target without being all of what is there.
        bool arrived = result.sqrtPriceX96 == target;
        result.amountIn =
            arrived && exactInput ? whole : paid(from, result.sqrtPriceX96, liquidity, zeroForOne);
        result.amountOut =
            arrived && !exactInput ? whole : received(from, result.sqrtPriceX96, liquidity, zeroForOne);
        if (!exactInput && result.amountOut > remaining) result.amountOut = remaining;
        // Where an input ends within the step, all that is left of it is the fee.
        result.fee = exactInput && !arrived
            ? remaining - result.amountIn
            : FullWidth.mulDivUp(result.amountIn, feePips, PIPS - feePips);
    }

    function paid(uint160 from, uint160 to, uint128 liquidity, bool zeroForOne) private pure returns (uint256) {
        return zeroForOne ? amount0(to, from, liquidity, true) : amount1(from, to, liquidity, true);
    }

    function received(uint160 from, uint160 to, uint128 liquidity, bool zeroForOne) private pure returns (uint256) {
        return zeroForOne ? amount1(to, from, liquidity, false) : amount0(from, to, liquidity, false);
    }

    function afterInput(uint160 price, uint128 liquidity, uint256 amount, bool zeroForOne)
        private
        pure
        returns (uint160)
    {
        if (!zeroForOne) return uint160(price + FullWidth.mulDiv(amount, 1 << 96, liquidity));
        uint256 scaled = uint256(liquidity) << 96;
        unchecked {
            uint256 product = amount * price;
            uint256 divisor = scaled + product;
            // The precise form, where it does not overflow.
            if (amount == 0 || (product / amount == price && divisor >= scaled))
                return uint160(FullWidth.mulDivUp(scaled, price, divisor));
        }
        return uint160(FullWidth.divideUp(scaled, scaled / price + amount));
    }

    function afterOutput(uint160 price, uint128 liquidity, uint256 amount, bool zeroForOne)
        private
        pure
        returns (uint160)
    {
        if (zeroForOne) return uint160(price - FullWidth.mulDivUp(amount, 1 << 96, liquidity));
        uint256 scaled = uint256(liquidity) << 96;
        return uint160(FullWidth.mulDivUp(scaled, price, scaled - amount * price));
    }
}
