// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The arithmetic and the books of Curve's plain StableSwap pools, as in 3pool and the templates of
/// its time: An·Σx + D = A·D·nⁿ + Dⁿ⁺¹/(nⁿ·∏x). Written for the devnet. Shares of liquidity are not
/// kept: who adds some gives it away. How `exchange` is called differs from pool to pool, and so it
/// is left to those that inherit.
abstract contract CurveStableSwap {
    /// As a coin: the native token.
    address internal constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 private constant A_PRECISION = 100;
    uint256 private constant FEE_DENOMINATOR = 10 ** 10;
    uint256 private constant RATE_PRECISION = 10 ** 18;
    uint256 private constant ROUNDS_MAX = 255;

    address[] public coins;
    uint256[] public balances;
    /// By which units of a coin become numbers of 18 decimals, times 10^18.
    uint256[] internal rates;
    /// In 1/10^10: of what comes out, and the part of that which leaves the balances.
    uint256 public fee;
    uint256 public admin_fee;
    uint256 private immutable amplification;
    bool private transient locked;

    constructor(
        address[] memory coins_,
        uint256[] memory rates_,
        uint256 amplification_,
        uint256 fee_,
        uint256 adminFee
    ) {
        require(coins_.length > 1 && rates_.length == coins_.length, "not a rate for each coin");
        coins = coins_;
        rates = rates_;
        balances = new uint256[](coins_.length);
        amplification = amplification_ * A_PRECISION;
        fee = fee_;
        admin_fee = adminFee;
    }

    modifier nonReentrant() {
        require(!locked, "locked");
        locked = true;
        _;
        locked = false;
    }

    function A() external view returns (uint256) {
        return amplification / A_PRECISION;
    }

    function A_precise() external view returns (uint256) {
        return amplification;
    }

    function add_liquidity(uint256[] calldata amounts) external payable nonReentrant {
        require(amounts.length == coins.length, "not an amount for each coin");
        uint256 value;
        for (uint256 k; k < amounts.length; k++) {
            if (coins[k] == NATIVE) value = amounts[k];
            else if (amounts[k] != 0) takeIn(coins[k], amounts[k]);
            balances[k] += amounts[k];
        }
        require(msg.value == value, "another value");
        tellAddition(amounts);
    }

    /// As pools with lists of a fixed length do, in whose topic that stands; of no fees and no shares.
    function tellAddition(uint256[] calldata amounts) private {
        bytes memory list = abi.encodePacked("uint256[", bytes1(uint8(48 + amounts.length)), "]");
        bytes32 topic = keccak256(abi.encodePacked("AddLiquidity(address,", list, ",", list, ",uint256,uint256)"));
        bytes memory data = abi.encodePacked(amounts, new uint256[](amounts.length), uint256(0), uint256(0));
        assembly ("memory-safe") {
            log2(add(data, 32), mload(data), topic, caller())
        }
    }

    /// Takes `dx` of coin i from the caller, and pays the caller in coin j.
    function swap(uint256 i, uint256 j, uint256 dx, uint256 minDy) internal nonReentrant returns (uint256 dy) {
        (uint256 given, uint256 feeAmount) = outputOf(i, j, dx);
        dy = (given - feeAmount) * RATE_PRECISION / rates[j];
        require(dy >= minDy, "Exchange resulted in fewer coins than expected");
        uint256 adminAmount = feeAmount * admin_fee / FEE_DENOMINATOR * RATE_PRECISION / rates[j];
        balances[i] += dx;
        balances[j] -= dy + adminAmount;
        if (coins[i] == NATIVE) {
            require(msg.value == dx, "another value");
        } else {
            require(msg.value == 0, "another value");
            takeIn(coins[i], dx);
        }
        if (coins[j] == NATIVE) {
            (bool succeeded,) = msg.sender.call{value: dy}("");
            require(succeeded, "not paid");
        } else {
            callCoin(coins[j], abi.encodeWithSignature("transfer(address,uint256)", msg.sender, dy));
        }
    }

    /// What old pools say of an exchange: they take the fee of units of the coin, and so may be off by one.
    function quote(uint256 i, uint256 j, uint256 dx) internal view returns (uint256 dy) {
        (uint256 given,) = outputOf(i, j, dx);
        dy = given * RATE_PRECISION / rates[j];
        dy -= dy * fee / FEE_DENOMINATOR;
    }

    /// In numbers of 18 decimals: what a swap gives before its fee, and that.
    function outputOf(uint256 i, uint256 j, uint256 dx) private view returns (uint256 given, uint256 feeAmount) {
        require(i != j, "the same coin");
        uint256[] memory xp = scaledBalances();
        uint256 d = invariant(xp);
        uint256 before = xp[j];
        xp[i] += dx * rates[i] / RATE_PRECISION;
        given = before - balanceLeft(xp, j, d) - 1;
        feeAmount = given * fee / FEE_DENOMINATOR;
    }

    function scaledBalances() private view returns (uint256[] memory xp) {
        xp = new uint256[](coins.length);
        for (uint256 k; k < xp.length; k++) xp[k] = balances[k] * rates[k] / RATE_PRECISION;
    }

    /// D, by Newton's method from the sum.
    function invariant(uint256[] memory xp) private view returns (uint256 d) {
        uint256 n = xp.length;
        uint256 sum;
        for (uint256 k; k < n; k++) sum += xp[k];
        d = sum;
        uint256 ann = amplification * n;
        for (uint256 round; round < ROUNDS_MAX; round++) {
            uint256 product = d;
            for (uint256 k; k < n; k++) product = product * d / (xp[k] * n);
            uint256 last = d;
            d = (ann * sum / A_PRECISION + product * n) * d
                / ((ann - A_PRECISION) * d / A_PRECISION + (n + 1) * product);
            if (distance(d, last) <= 1) break;
        }
    }

    /// The balance of coin j at which the others as they are keep D.
    function balanceLeft(uint256[] memory xp, uint256 j, uint256 d) private view returns (uint256 y) {
        uint256 n = xp.length;
        uint256 ann = amplification * n;
        uint256 c = d;
        uint256 sum;
        for (uint256 k; k < n; k++) {
            if (k == j) continue;
            sum += xp[k];
            c = c * d / (xp[k] * n);
        }
        c = c * d * A_PRECISION / (ann * n);
        uint256 b = sum + d * A_PRECISION / ann;
        y = d;
        for (uint256 round; round < ROUNDS_MAX; round++) {
            uint256 last = y;
            y = (y * y + c) / (2 * y + b - d);
            if (distance(y, last) <= 1) break;
        }
    }

    function distance(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a - b : b - a;
    }

    function takeIn(address coin, uint256 amount) private {
        callCoin(
            coin, abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, address(this), amount)
        );
    }

    /// Some tokens return nothing.
    function callCoin(address coin, bytes memory data) private {
        (bool succeeded, bytes memory answer) = coin.call(data);
        require(succeeded && (answer.length == 0 || abi.decode(answer, (bool))), "the coin refuses");
    }
}
