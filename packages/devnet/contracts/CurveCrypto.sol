// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ShareToken} from "./ShareToken.sol";

interface ICryptoMath {
    function get_y(uint256 ann, uint256 gamma, uint256[] calldata x, uint256 d, uint256 i)
        external
        view
        returns (uint256 y, uint256 k0);
    function newton_D(uint256 ann, uint256 gamma, uint256[] calldata x, uint256 k0) external view returns (uint256);
    function get_p(uint256[] calldata x, uint256 d, uint256 ann, uint256 gamma)
        external
        view
        returns (uint256[] memory);
    function geometric_mean(uint256[] calldata x) external view returns (uint256);
    function square_root(uint256 value) external view returns (uint256);
    function falling_power(uint256 x) external view returns (uint256);
}

interface ICryptoCoin {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function decimals() external view returns (uint8);
}

interface ICryptoFactory {
    function admin() external view returns (address);
}

/// The books of Curve's crypto pools of the new generation: D, a price scale that follows an average of
/// prices as far as profits pay for it, a fee that grows out of balance, ramps of A and gamma. Written for
/// the devnet, from the formulas; what differs between two tokens and three is left to those that inherit.
/// The average's powers are its own, and nobody claims an admin's part. Stands behind a factory's clones.
abstract contract CurveCrypto is ShareToken {
    event TokenExchange(
        address indexed buyer,
        uint256 sold_id,
        uint256 tokens_sold,
        uint256 bought_id,
        uint256 tokens_bought,
        uint256 fee,
        uint256 packed_price_scale
    );
    event RemoveLiquidityOne(
        address indexed provider,
        uint256 token_amount,
        uint256 coin_index,
        uint256 coin_amount,
        uint256 approx_fee,
        uint256 packed_price_scale
    );
    event RampAgamma(
        uint256 initial_A,
        uint256 future_A,
        uint256 initial_gamma,
        uint256 future_gamma,
        uint256 initial_time,
        uint256 future_time
    );
    event StopRampA(uint256 current_A, uint256 current_gamma, uint256 time);
    event NewParameters(
        uint256 mid_fee,
        uint256 out_fee,
        uint256 fee_gamma,
        uint256 allowed_extra_profit,
        uint256 adjustment_step,
        uint256 ma_time
    );

    /// Fees in 1/10^10; the rest with 18 decimals, the time in seconds.
    struct Terms {
        uint256 midFee;
        uint256 outFee;
        uint256 feeGamma;
        uint256 allowedExtraProfit;
        uint256 adjustmentStep;
        uint256 maTime;
    }

    uint256 internal constant E18 = 10 ** 18;
    uint256 private constant E10 = 10 ** 10;
    uint256 private constant NOISE_FEE = 10 ** 5;

    string public version;
    address public factory;
    ICryptoMath public MATH;
    /// Of version 2.1.0, whose fee reaches `out_fee` and which takes donations.
    bool internal isNewer;
    address[] public coins;
    uint256[] public balances;
    uint256[] internal precisionOf;
    uint256[] internal scales;
    uint256[] internal averages;
    uint256[] internal lastPrices;
    Terms internal terms;
    uint256 private initialA;
    uint256 private initialGamma;
    uint256 private futureA;
    uint256 private futureGamma;
    uint256 public initial_A_gamma_time;
    uint256 public future_A_gamma_time;
    uint256 private lastTimestamp;
    uint256 public D;
    uint256 public virtual_price;
    uint256 public xcp_profit;
    bool private transient locked;

    modifier nonReentrant() {
        require(!locked, "locked");
        locked = true;
        _;
        locked = false;
    }

    modifier onlyAdmin() {
        require(msg.sender == ICryptoFactory(factory).admin(), "not the admin");
        _;
    }

    /// Once, by the factory that makes the clone.
    function initialize(
        string calldata name_,
        string calldata version_,
        ICryptoMath math,
        bool isNewer_,
        address[] calldata coins_,
        uint256[2] calldata aGamma,
        Terms calldata terms_,
        uint256[] calldata prices
    ) external {
        require(factory == address(0), "initialised");
        (factory, name, symbol, version) = (msg.sender, name_, name_, version_);
        (MATH, isNewer, coins, terms) = (math, isNewer_, coins_, terms_);
        (initialA, futureA) = (aGamma[0], aGamma[0]);
        (initialGamma, futureGamma) = (aGamma[1], aGamma[1]);
        (scales, averages, lastPrices) = (prices, prices, prices);
        for (uint256 k; k < coins_.length; k++) {
            precisionOf.push(10 ** (18 - ICryptoCoin(coins_[k]).decimals()));
            balances.push(0);
        }
        lastTimestamp = block.timestamp;
    }

    // What there is

    function A() external view returns (uint256 a) {
        (a,) = aGammaNow();
    }

    function gamma() external view returns (uint256 now_) {
        (, now_) = aGammaNow();
    }

    function future_A_gamma() external view returns (uint256) {
        return futureA << 128 | futureGamma;
    }

    function mid_fee() external view returns (uint256) {
        return terms.midFee;
    }

    function out_fee() external view returns (uint256) {
        return terms.outFee;
    }

    function fee_gamma() external view returns (uint256) {
        return terms.feeGamma;
    }

    function fee() external view returns (uint256) {
        return feeOf(scaledBalances());
    }

    /// Only what takes donations has this; nobody gives any here.
    function donation_shares() external view returns (uint256) {
        require(isNewer, "no donations");
        return 0;
    }

    function get_virtual_price() external view returns (uint256) {
        return E18 * meanOf(D, scales) / totalSupply;
    }

    function get_dy(uint256 i, uint256 j, uint256 dx) external view returns (uint256 dy) {
        uint256[] memory x = scaledBalances();
        (uint256 a, uint256 g) = aGammaNow();
        uint256 d = future_A_gamma_time > block.timestamp ? MATH.newton_D(a, g, x, 0) : D;
        x[i] = scaled(i, balances[i] + dx);
        (uint256 y,) = MATH.get_y(a, g, x, d, j);
        dy = unscaled(j, x[j] - y - 1);
        x[j] = y;
        dy -= feeOf(x) * dy / E10;
    }

    // What people do

    function exchange(uint256 i, uint256 j, uint256 dx, uint256 min_dy)
        external
        payable
        nonReentrant
        returns (uint256 dy)
    {
        require(msg.value == 0 && i != j && dx > 0, "not an exchange");
        uint256 taken;
        (dy, taken) = swap(i, j, dx);
        require(dy >= min_dy, "Slippage");
        takeIn(i, dx);
        payOut(j, dy);
        emit TokenExchange(msg.sender, i, dx, j, dy, taken, packedScales());
    }

    function remove_liquidity_one_coin(uint256 token_amount, uint256 i, uint256 min_amount)
        external
        nonReentrant
        returns (uint256 dy)
    {
        (uint256 a, uint256 g) = aGammaNow();
        uint256[] memory x = scaledBalances();
        uint256 d = future_A_gamma_time > block.timestamp ? MATH.newton_D(a, g, x, 0) : D;
        uint256 part = token_amount * d / totalSupply;
        uint256 charged = withdrawalFee(x, token_amount, i, d) * part / (2 * E10) + 1;
        d -= part - charged;
        (uint256 y,) = MATH.get_y(a, g, x, d, i);
        dy = unscaled(i, x[i] - y);
        x[i] = y;
        require(dy >= min_amount, "Slippage");
        burnShares(msg.sender, token_amount);
        balances[i] -= dy;
        tweakPrice(a, g, x, d, 0);
        payOut(i, dy);
        emit RemoveLiquidityOne(msg.sender, token_amount, i, dy, charged, packedScales());
    }

    // What the admin does

    function ramp_A_gamma(uint256 a, uint256 g, uint256 futureTime) external onlyAdmin {
        require(futureTime > block.timestamp, "not ahead");
        (initialA, initialGamma) = aGammaNow();
        (futureA, futureGamma) = (a, g);
        (initial_A_gamma_time, future_A_gamma_time) = (block.timestamp, futureTime);
        emit RampAgamma(initialA, a, initialGamma, g, block.timestamp, futureTime);
    }

    function stop_ramp_A_gamma() external onlyAdmin {
        (initialA, initialGamma) = aGammaNow();
        (futureA, futureGamma) = (initialA, initialGamma);
        (initial_A_gamma_time, future_A_gamma_time) = (block.timestamp, block.timestamp);
        emit StopRampA(futureA, futureGamma, block.timestamp);
    }

    function apply_new_parameters(Terms calldata next) external onlyAdmin {
        require(next.midFee <= next.outFee && next.outFee <= E10 && next.feeGamma > 0, "not terms");
        terms = next;
        emit NewParameters(
            next.midFee, next.outFee, next.feeGamma, next.allowedExtraProfit, next.adjustmentStep, next.maTime
        );
    }

    // The arithmetic

    function aGammaNow() internal view returns (uint256 a, uint256 g) {
        (a, g) = (futureA, futureGamma);
        if (block.timestamp >= future_A_gamma_time) return (a, g);
        // A node that mines may answer for the block before with this state.
        if (block.timestamp <= initial_A_gamma_time) return (initialA, initialGamma);
        uint256 whole = future_A_gamma_time - initial_A_gamma_time;
        uint256 passed = block.timestamp - initial_A_gamma_time;
        a = (initialA * (whole - passed) + a * passed) / whole;
        g = (initialGamma * (whole - passed) + g * passed) / whole;
    }

    function scaled(uint256 k, uint256 amount) internal view returns (uint256 x) {
        x = amount * precisionOf[k];
        if (k > 0) x = x * scales[k - 1] / E18;
    }

    function unscaled(uint256 k, uint256 x) private view returns (uint256) {
        return (k > 0 ? x * E18 / scales[k - 1] : x) / precisionOf[k];
    }

    function scaledBalances() internal view returns (uint256[] memory x) {
        x = new uint256[](coins.length);
        for (uint256 k; k < x.length; k++) x[k] = scaled(k, balances[k]);
    }

    /// What the balances of D that are all worth the same have for their mean.
    function meanOf(uint256 d, uint256[] memory prices) private view returns (uint256) {
        uint256 n = prices.length + 1;
        if (isNewer) return d * E18 / n / MATH.square_root(E18 * prices[0]);
        uint256[] memory x = new uint256[](n);
        x[0] = d / n;
        for (uint256 k = 1; k < n; k++) x[k] = d * E18 / (n * prices[k - 1]);
        return MATH.geometric_mean(x);
    }

    /// In 1/10^10, of scaled balances.
    function feeOf(uint256[] memory x) internal view returns (uint256) {
        uint256 n = x.length;
        uint256 sum;
        for (uint256 k; k < n; k++) sum += x[k];
        uint256 balance;
        if (n == 2) {
            balance = 4 * E18 * x[0] / sum * x[1] / sum;
        } else {
            balance = E18;
            for (uint256 k; k < n; k++) balance = balance * n * x[k] / sum;
        }
        uint256 g = terms.feeGamma;
        balance = isNewer ? g * balance / (g * balance / E18 + E18 - balance) : g * E18 / (g + E18 - balance);
        return (terms.midFee * balance + terms.outFee * (E18 - balance)) / E18;
    }

    /// Books an exchange, and gives what comes out and what of it is kept.
    function swap(uint256 i, uint256 j, uint256 dx) private returns (uint256 dy, uint256 taken) {
        (uint256 a, uint256 g) = aGammaNow();
        uint256[] memory x = scaledBalances();
        // While it ramps, D is another at every moment.
        if (future_A_gamma_time > block.timestamp) D = MATH.newton_D(a, g, x, 0);
        balances[i] += dx;
        x[i] = scaled(i, balances[i]);
        (uint256 y, uint256 k0) = MATH.get_y(a, g, x, D, j);
        dy = x[j] - y;
        x[j] = y;
        dy = unscaled(j, dy - 1);
        taken = feeOf(x) * dy / E10;
        dy -= taken;
        balances[j] -= dy;
        x[j] = scaled(j, balances[j]);
        tweakPrice(a, g, x, 0, k0);
    }

    /// Liquidity of scaled balances that were other ones before; what is added is charged out of balance.
    function add(uint256[] memory amounts) internal returns (uint256 minted, uint256 charged) {
        uint256 n = amounts.length;
        (uint256 a, uint256 g) = aGammaNow();
        uint256[] memory old = scaledBalances();
        uint256[] memory added = new uint256[](n);
        uint256[] memory x = new uint256[](n);
        for (uint256 k; k < n; k++) {
            if (amounts[k] > 0) takeIn(k, amounts[k]);
            balances[k] += amounts[k];
            x[k] = scaled(k, balances[k]);
            added[k] = x[k] - old[k];
        }
        uint256 d = MATH.newton_D(a, g, x, 0);
        if (totalSupply == 0) {
            minted = meanOf(d, scales);
            (D, virtual_price, xcp_profit) = (d, E18, E18);
            mintShares(msg.sender, minted);
            return (minted, 0);
        }
        uint256 before = future_A_gamma_time > block.timestamp ? MATH.newton_D(a, g, old, 0) : D;
        minted = totalSupply * d / before - totalSupply;
        require(minted > 0, "nothing minted");
        charged = additionFee(added, x) * minted / E10 + 1;
        minted -= charged;
        mintShares(msg.sender, minted);
        tweakPrice(a, g, x, d, 0);
    }

    /// A part of all balances, rounded for who stays.
    function remove(uint256 amount) internal returns (uint256[] memory amounts) {
        uint256 supply = totalSupply;
        burnShares(msg.sender, amount);
        amounts = new uint256[](coins.length);
        for (uint256 k; k < amounts.length; k++) {
            amounts[k] = balances[k] * (amount - 1) / supply;
            balances[k] -= amounts[k];
            payOut(k, amounts[k]);
        }
        D -= D * (amount - 1) / supply;
    }

    function additionFee(uint256[] memory added, uint256[] memory x) private view returns (uint256) {
        uint256 n = x.length;
        uint256 sum;
        for (uint256 k; k < n; k++) sum += added[k];
        uint256 apart;
        for (uint256 k; k < n; k++) apart += added[k] > sum / n ? added[k] - sum / n : sum / n - added[k];
        return feeOf(x) * n / (4 * (n - 1)) * apart / sum + NOISE_FEE;
    }

    function withdrawalFee(uint256[] memory x, uint256 amount, uint256 i, uint256 d) private view returns (uint256) {
        uint256 n = x.length;
        uint256 less = x[i] * n * amount / (n == 2 ? totalSupply : d);
        if (less >= x[i]) return terms.outFee;
        uint256[] memory left = new uint256[](n);
        for (uint256 k; k < n; k++) left[k] = k == i ? x[k] - less : x[k];
        return feeOf(left);
    }

    /// Keeps what a swap leaves: D, prices, profits; and moves the price scale where profits allow it.
    /// `d` is 0 where it has to be found, from `k0`.
    function tweakPrice(uint256 a, uint256 g, uint256[] memory x, uint256 d, uint256 k0) private {
        followPrices();
        if (d == 0) d = MATH.newton_D(a, g, x, k0);
        uint256[] memory prices = MATH.get_p(x, d, a, g);
        for (uint256 k; k < prices.length; k++) lastPrices[k] = prices[k] * scales[k] / E18;
        uint256 price = E18 * meanOf(d, scales) / totalSupply;
        uint256 profit = xcp_profit * price / virtual_price;
        require(future_A_gamma_time >= block.timestamp || price > virtual_price, "Loss");
        xcp_profit = profit;
        (D, virtual_price) = (d, price);
        if (price * 2 - E18 > profit + 2 * terms.allowedExtraProfit) moveScale(a, g, x, profit);
    }

    /// Once a block, with what the last trade of another block left.
    function followPrices() private {
        if (lastTimestamp >= block.timestamp) return;
        uint256 kept = MATH.falling_power((block.timestamp - lastTimestamp) * E18 / terms.maTime);
        for (uint256 k; k < averages.length; k++) {
            uint256 last = lastPrices[k];
            if (averages.length == 1 && last > 2 * scales[k]) last = 2 * scales[k];
            averages[k] = (last * (E18 - kept) + averages[k] * kept) / E18;
        }
        lastTimestamp = block.timestamp;
    }

    function moveScale(uint256 a, uint256 g, uint256[] memory x, uint256 profit) private {
        (uint256[] memory next, bool isFar) = nextScales();
        if (!isFar) return;
        uint256[] memory moved = new uint256[](x.length);
        moved[0] = x[0];
        for (uint256 k = 1; k < x.length; k++) moved[k] = x[k] * next[k - 1] / scales[k - 1];
        uint256 d = MATH.newton_D(a, g, moved, 0);
        uint256 price = E18 * meanOf(d, next) / totalSupply;
        if (price <= E18 || 2 * price - E18 <= profit) return;
        (D, virtual_price, scales) = (d, price, next);
    }

    /// A step towards the averages, where they are farther than a step.
    function nextScales() private view returns (uint256[] memory next, bool isFar) {
        uint256 n = scales.length;
        uint256 norm;
        for (uint256 k; k < n; k++) {
            uint256 ratio = averages[k] * E18 / scales[k];
            ratio = ratio > E18 ? ratio - E18 : E18 - ratio;
            norm = n == 1 ? ratio : norm + ratio ** 2;
        }
        if (n > 1) norm = MATH.square_root(norm);
        uint256 step = terms.adjustmentStep > norm / 5 ? terms.adjustmentStep : norm / 5;
        isFar = norm > step;
        if (!isFar) return (next, false);
        next = new uint256[](n);
        for (uint256 k; k < n; k++) next[k] = (scales[k] * (norm - step) + step * averages[k]) / norm;
    }

    function packedScales() internal view returns (uint256 packed) {
        for (uint256 k = scales.length; k > 0; k--) packed = packed << 128 | scales[k - 1];
    }

    function takeIn(uint256 k, uint256 amount) private {
        require(ICryptoCoin(coins[k]).transferFrom(msg.sender, address(this), amount), "not paid");
    }

    function payOut(uint256 k, uint256 amount) private {
        require(ICryptoCoin(coins[k]).transfer(msg.sender, amount), "the coin refuses");
    }
}
