// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Roots and powers as Curve's crypto pools find them.
abstract contract CurveCryptoRoots {
    uint256 internal constant E18 = 10 ** 18;
    uint256 internal constant E36 = 10 ** 36;
    /// Above this a number has too many digits to be given 36 more decimals.
    uint256 private constant CUBE_STEP = 115792089237316195423570985008687907853269;
    uint256 private constant CUBE_ROUNDS = 7;
    /// ln 2, with 36 decimals.
    uint256 private constant LN2_E36 = 693147180559945309417232121458176568;
    uint256 private constant LEAST_POWER = 42 * E18;
    uint256 private constant TERMS = 25;

    /// The floor of the square root.
    function squareRoot(uint256 value) internal pure returns (uint256 root) {
        if (value < 2) return value;
        root = 1 << ((log2(value) >> 1) + 1);
        while (true) {
            uint256 next = (root + value / root) >> 1;
            if (next >= root) return root;
            root = next;
        }
    }

    /// Of a number with 18 decimals, with 18 decimals; seven rounds of Newton's method.
    function cubeRoot(uint256 value) internal pure returns (uint256) {
        if (value >= CUBE_STEP * E18) return cubeRounds(value) * 10 ** 12;
        if (value >= CUBE_STEP) return cubeRounds(value * E18) * 10 ** 6;
        return cubeRounds(value * E36);
    }

    function cubeRounds(uint256 value) private pure returns (uint256 root) {
        if (value == 0) return 0;
        uint256 bits = log2(value);
        uint256 rest = bits % 3;
        root = (1 << (bits / 3)) * 1260 ** rest / 1000 ** rest;
        for (uint256 round; round < CUBE_ROUNDS; round++) root = (2 * root + value / (root * root)) / 3;
    }

    function log2(uint256 value) private pure returns (uint256 bits) {
        for (uint256 step = 128; step > 0; step >>= 1) {
            if (value >> step > 0) (value, bits) = (value >> step, bits + step);
        }
    }

    /// e to the power of −x, with 18 decimals: halved so often, and a series of the rest.
    function fallingPower(uint256 x) internal pure returns (uint256) {
        if (x >= LEAST_POWER) return 0;
        uint256 halvings = x * E18 / LN2_E36;
        uint256 rest = x * E18 - halvings * LN2_E36;
        uint256 term = E36;
        uint256 sum = E36;
        // 1 / (1 + r + r²/2 + …) has no differences in it.
        for (uint256 k = 1; k < TERMS; k++) {
            term = term * rest / E36 / k;
            sum += term;
        }
        return (E36 * E18 / sum) >> halvings;
    }

    function distance(uint256 a, uint256 b) internal pure returns (uint256) {
        return a > b ? a - b : b - a;
    }

    function highest(uint256 a, uint256 b) internal pure returns (uint256) {
        return a > b ? a : b;
    }

    function magnitude(int256 value) internal pure returns (uint256) {
        return value < 0 ? uint256(-value) : uint256(value);
    }
}
