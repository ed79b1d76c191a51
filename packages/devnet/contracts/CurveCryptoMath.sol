// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CurveCryptoRoots} from "./CurveCryptoRoots.sol";

/// The arithmetic of Curve's crypto pools of the new generation, of two tokens and of three: balances are
/// scaled by precisions and prices, `ann` is A·nⁿ·10000. The balance of one token is the root of a cubic,
/// by Cardano's formula in signed numbers whose divisions round towards zero; where that has three real
/// roots, and for D, Newton's method finds it. Written for the devnet, from the formulas.
contract CurveCryptoMath is CurveCryptoRoots {
    uint256 private constant A_MULTIPLIER = 10_000;
    uint256 private constant E14 = 10 ** 14;
    uint256 private constant ROUNDS_MAX = 255;
    uint256 private constant D_LEAST = 10 ** 17;
    uint256 private constant D_MOST = 10 ** 33;
    uint256 private constant PART_LEAST = 10 ** 16;
    uint256 private constant PART_MOST = 10 ** 20;
    uint256 private constant GAMMA_SMALL = 2 * 10 ** 16;

    string public version;
    /// Whether balances of two tokens have to be the nearer to each other the larger gamma is.
    bool private immutable isNarrowing;

    constructor(string memory version_, bool isNarrowing_) {
        (version, isNarrowing) = (version_, isNarrowing_);
    }

    /// The balance at a place at which the others come to D, and K0 there; 0 where it was iterated.
    function get_y(uint256 ann, uint256 gamma, uint256[] calldata x, uint256 d, uint256 i)
        external
        view
        returns (uint256 y, uint256 k0)
    {
        require(d >= D_LEAST && d <= D_MOST, "unsafe D");
        if (x.length == 3) {
            (uint256 first, uint256 second) = (x[i == 0 ? 1 : 0], x[i == 2 ? 1 : 2]);
            checkPart(first, d, PART_LEAST, PART_MOST);
            checkPart(second, d, PART_LEAST, PART_MOST);
            (y, k0) = rootOfThree(int256(ann), int256(gamma), int256(first), int256(second), int256(d));
            if (k0 == 0) y = newtonY(ann, gamma, x, d, i);
            checkPart(y, d, k0 == 0 ? PART_LEAST : PART_LEAST - 1, PART_MOST);
            return (y, k0);
        }
        uint256 other = x[1 - i];
        uint256 most = PART_MOST;
        if (isNarrowing && gamma > GAMMA_SMALL) most = most * GAMMA_SMALL / gamma;
        uint256 part = 2 * E18 * other / d;
        if (isNarrowing) require(part >= E36 / most && part <= most, "unsafe x");
        else require(part >= 2 * PART_LEAST && part <= 2 * PART_MOST, "unsafe x");
        (y, k0) = rootOfTwo(int256(ann), int256(gamma), int256(other), int256(d));
        if (k0 == 0) return (newtonY(ann, gamma, x, d, i), 0);
        if (isNarrowing) checkPart(y, d, E36 / 2 / most, most / 2);
        else checkPart(y, d, PART_LEAST - 1, PART_MOST);
    }

    function checkPart(uint256 x, uint256 d, uint256 least, uint256 most) private pure {
        uint256 part = x * E18 / d;
        require(part >= least && part <= most, "unsafe balance");
    }

    /// The invariant of balances; `k0` is what was found for them, or 0.
    function newton_D(uint256 ann, uint256 gamma, uint256[] calldata unsorted, uint256 k0)
        external
        pure
        returns (uint256 d)
    {
        uint256[] memory x = sorted(unsorted);
        uint256 n = x.length;
        if (n == 2) {
            require(x[0] >= 10 ** 9 && x[0] <= D_MOST, "unsafe x");
            require(x[1] * E18 / x[0] >= E14, "unsafe x");
        }
        uint256 sum;
        for (uint256 k; k < n; k++) sum += x[k];
        d = firstD(x, sum, k0);
        for (uint256 round; round < ROUNDS_MAX; round++) {
            require(d > 0, "no D");
            uint256 last = d;
            d = nextD(ann, gamma, x, sum, d);
            if (distance(d, last) * E14 < highest(10 ** 16, d)) {
                for (uint256 k; k < n; k++) checkPart(x[k], d, PART_LEAST - 1, PART_MOST);
                return d;
            }
        }
        revert("no end");
    }

    /// The prices of the other tokens in the first, at the price scale.
    function get_p(uint256[] calldata x, uint256 d, uint256 ann, uint256 gamma)
        external
        pure
        returns (uint256[] memory p)
    {
        require(d >= D_LEAST && d <= D_MOST, "unsafe D");
        p = new uint256[](x.length - 1);
        if (x.length == 2) {
            uint256 k0 = 4 * x[0] * x[1] / d * E36 / d;
            uint256 square = k0 * k0 / E36;
            uint256 g = 2 * k0 * k0 / E36 * k0 / E36 + (gamma + E18) ** 2 - square * (2 * gamma + 3 * E18) / E18;
            uint256 steep = ann * gamma ** 2 / A_MULTIPLIER;
            uint256 below = g + steep * x[0] / d * k0 / E36;
            p[0] = x[0] * (g + steep * x[1] / d * k0 / E36) / x[1] * E18 / below;
            return p;
        }
        int256 g3 = slopeOfThree(x, int256(d), int256(ann), int256(gamma));
        int256 first = int256(x[0]);
        for (uint256 k = 1; k < 3; k++) {
            int256 other = int256(x[k]);
            p[k - 1] = uint256(first * (g3 + other) / other * int256(E18) / (g3 + first));
        }
    }

    /// The geometric mean of three, with 18 decimals; of two, the root of the product.
    function geometric_mean(uint256[] calldata x) external pure returns (uint256) {
        return x.length == 2 ? squareRoot(x[0] * x[1]) : cubeRoot(x[0] * x[1] / E18 * x[2] / E18);
    }

    function square_root(uint256 value) external pure returns (uint256) {
        return squareRoot(value);
    }

    function falling_power(uint256 x) external pure returns (uint256) {
        return fallingPower(x);
    }

    function slopeOfThree(uint256[] calldata x, int256 d, int256 ann, int256 gamma) private pure returns (int256) {
        (int256 one, int256 one36) = (int256(E18), int256(E36));
        int256 steep = 27 * ann * gamma * gamma;
        int256 k = 27 * int256(x[0]) * int256(x[1]) / d * int256(x[2]) / d * one36 / d;
        int256 g = 3 * k ** 2 / one36 - k * (4 * gamma * one + 6 * one36) / one36
            + steep * (int256(x[0] + x[1] + x[2]) - d) / d / 27 / 10_000 + (gamma + one) * (gamma + 3 * one);
        return g * d / steep * one * 27 * 10_000 / one;
    }

    function sorted(uint256[] calldata unsorted) private pure returns (uint256[] memory x) {
        x = unsorted;
        for (uint256 end = x.length; end > 1; end--) {
            for (uint256 k = 1; k < end; k++) if (x[k - 1] < x[k]) (x[k - 1], x[k]) = (x[k], x[k - 1]);
        }
    }

    function firstD(uint256[] memory x, uint256 sum, uint256 k0) private pure returns (uint256) {
        if (x.length == 2) {
            if (k0 == 0) return 2 * squareRoot(x[0] * x[1]);
            uint256 d = squareRoot(4 * x[0] * x[1] / k0 * E18);
            return sum < d ? sum : d;
        }
        if (k0 == 0) return 3 * cubeRoot(x[0] * x[1] / E18 * x[2] / E18);
        (uint256 lowered, uint256 raised) = sum > E36
            ? (E36, 10 ** 12)
            : sum > 10 ** 24 ? (uint256(10 ** 24), uint256(10 ** 6)) : (E18, uint256(1));
        return cubeRoot(x[0] * x[1] / lowered * x[2] / k0 * 27 * raised);
    }

    function nextD(uint256 ann, uint256 gamma, uint256[] memory x, uint256 sum, uint256 d)
        private
        pure
        returns (uint256)
    {
        uint256 n = x.length;
        uint256 k0 = E18;
        if (n == 2) k0 = 4 * E18 * x[0] / d * x[1] / d;
        else for (uint256 k; k < n; k++) k0 = k0 * x[k] * n / d;
        uint256 g = distance(gamma + E18, k0) + 1;
        uint256 mul1 = E18 * d / gamma * g / gamma * g * A_MULTIPLIER / ann;
        uint256 mul2 = 2 * E18 * n * k0 / g;
        uint256 slope = sum + sum * mul2 / E18 + mul1 * n / k0 - mul2 * d / E18;
        uint256 plus = d * (slope + sum) / slope;
        uint256 minus = d * d / slope;
        uint256 part = d * (mul1 / slope) / E18;
        if (E18 > k0) minus += part * (E18 - k0) / k0;
        else minus -= part * (k0 - E18) / k0;
        return plus > minus ? plus - minus : (minus - plus) / 2;
    }

    /// By Newton's method, where the formula has no one root.
    function newtonY(uint256 ann, uint256 gamma, uint256[] calldata x, uint256 d, uint256 i)
        private
        pure
        returns (uint256 y)
    {
        uint256 n = x.length;
        uint256 ratio;
        uint256 sum;
        uint256 largest;
        if (n == 2) {
            sum = x[1 - i];
            largest = sum;
            y = d ** 2 / (4 * sum);
            ratio = 2 * E18 * sum / d;
        } else {
            (uint256 high, uint256 low) = (x[i == 0 ? 1 : 0], x[i == 2 ? 1 : 2]);
            if (high < low) (high, low) = (low, high);
            y = d / n * d / (low * n) * d / (high * n);
            ratio = E18 * high * n / d * low * n / d;
            (sum, largest) = (high + low, high);
        }
        uint256 limit = highest(highest(largest / E14, d / E14), 100);
        for (uint256 round; round < ROUNDS_MAX; round++) {
            uint256 last = y;
            bool isBelow;
            (y, isBelow) = nextY(ann, gamma, [ratio, sum, d, n], y);
            if (!isBelow && distance(y, last) < highest(limit, y / E14)) return y;
        }
        revert("no end");
    }

    /// `known`: the part of K0 that is without y, the sum without y, D and n. Below where the function
    /// has a slope, the half.
    function nextY(uint256 ann, uint256 gamma, uint256[4] memory known, uint256 y)
        private
        pure
        returns (uint256 next, bool isBelow)
    {
        uint256 d = known[2];
        uint256 k0 = known[0] * y * known[3] / d;
        uint256 g = distance(gamma + E18, k0) + 1;
        uint256 mul1 = E18 * d / gamma * g / gamma * g * A_MULTIPLIER / ann;
        uint256 mul2 = E18 + 2 * E18 * k0 / g;
        uint256 slope = E18 * y + (known[1] + y) * mul2 + mul1;
        if (slope < d * mul2) return (y / 2, true);
        slope -= d * mul2;
        uint256 each = slope / y;
        uint256 minus = mul1 / each;
        uint256 plus = (slope + E18 * d) / each + minus * E18 / k0;
        minus += E18 * (known[1] + y) / each;
        return (plus < minus ? y / 2 : plus - minus, false);
    }

    /// 0 for K0 where there are three real roots.
    function rootOfTwo(int256 ann, int256 gamma, int256 other, int256 d) private pure returns (uint256 y, uint256 k0) {
        int256 one = int256(E18);
        int256 a = 10 ** 32;
        int256 steep = 4 * ann * gamma ** 2 / 400_000_000;
        int256 b = d * (ann * gamma ** 2) / 400_000_000 / other - 3 * a - 2 * gamma * 10 ** 14;
        int256 c = 3 * a + 4 * gamma * 10 ** 14 + gamma ** 2 / 10 ** 4 + steep * other / d - steep;
        int256 e = -((one + gamma) ** 2 / 10 ** 4);
        int256 delta0 = 3 * a * c / b - b;
        int256 delta1 = 3 * delta0 + b - 27 * a ** 2 / b * e / b;
        int256 divider = dividerOf(lowest(magnitude(delta0), magnitude(delta1), uint256(a)), 2);
        (a, b, c, e) = (a / divider, b / divider, c / divider, e / divider);
        delta0 = 3 * a * c / b - b;
        delta1 = 3 * delta0 + b - 27 * a ** 2 / b * e / b;
        int256 discriminant = delta1 ** 2 + 4 * delta0 ** 2 / b * delta0;
        if (discriminant <= 0) return (0, 0);
        int256 c1 = cardano(b, delta1, discriminant);
        int256 root = (one * c1 - one * b - one * b / c1 * delta0) / (3 * a);
        y = uint256(d ** 2 / other * root / 4 / one);
        k0 = uint256(root);
        require(root > 0, "no root");
    }

    function rootOfThree(int256 ann, int256 gamma, int256 first, int256 second, int256 d)
        private
        pure
        returns (uint256 y, uint256 k0)
    {
        int256 one = int256(E18);
        int256 a = int256(E36) / 27;
        int256 b = int256(E36) / 9 + 2 * one * gamma / 27 - d ** 2 / first * gamma ** 2 * ann / 27 ** 2 / 10_000 / second;
        int256 c = int256(E36) / 9 + gamma * (gamma + 4 * one) / 27
            + gamma ** 2 * (first + second - d) / d * ann / 27 / 10_000;
        int256 e = (one + gamma) ** 2 / 27;
        int256 divider = dividerOf(magnitude(3 * a * c / b - b), 4);
        if (magnitude(a) > magnitude(b)) {
            int256 more = int256(magnitude(a / b));
            (a, b) = (a * more / divider, b * more / divider);
            (c, e) = (c * more / divider, e * more / divider);
        } else {
            int256 more = int256(magnitude(b / a));
            (a, b) = (a / more / divider, b / more / divider);
            (c, e) = (c / more / divider, e / more / divider);
        }
        int256 product = 3 * a * c;
        int256 delta0 = product / b - b;
        int256 delta1 = 3 * product / b - 2 * b - 27 * a ** 2 / b * e / b;
        int256 discriminant = delta1 ** 2 + 4 * delta0 ** 2 / b * delta0;
        if (discriminant <= 0) return (0, 0);
        int256 c1 = cardano(b, delta1, discriminant);
        int256 root = (b + b * delta0 / c1 - c1) / 3;
        y = uint256(d ** 2 / 27 / second * d / first * root / a);
        k0 = uint256(one * root / a);
        require(root > 0 && k0 > 0, "no root");
    }

    function cardano(int256 b, int256 delta1, int256 discriminant) private pure returns (int256) {
        int256 root = int256(squareRoot(uint256(discriminant)));
        int256 rootOfB = signedCubeRoot(b);
        int256 sum = delta1 > 0 ? signedCubeRoot((delta1 + root) / 2) : -signedCubeRoot((root - delta1) / 2);
        return rootOfB ** 2 / int256(E18) * sum / int256(E18);
    }

    function signedCubeRoot(int256 value) private pure returns (int256) {
        return value > 0 ? int256(cubeRoot(uint256(value))) : -int256(cubeRoot(uint256(-value)));
    }

    /// The power of ten by which a number of so many digits is divided: in steps of two digits, or four.
    function dividerOf(uint256 value, uint256 step) private pure returns (int256) {
        for (uint256 digits = 48; digits >= 24; digits -= step) {
            if (value > 10 ** digits) return int256(10 ** (digits - 18));
        }
        return value > 10 ** 20 ? int256(100) : int256(1);
    }

    function lowest(uint256 one, uint256 two, uint256 three) private pure returns (uint256) {
        uint256 less = one < two ? one : two;
        return less < three ? less : three;
    }
}
