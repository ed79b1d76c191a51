// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ShareToken} from "./ShareToken.sol";

interface ICoin {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function decimals() external view returns (uint8);
    /// Of vaults of ERC-4626.
    function asset() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);
    /// Of a base pool.
    function get_virtual_price() external view returns (uint256);
}

interface IOwned {
    function admin() external view returns (address);
}

/// A pool with the interface and the arithmetic of Curve's StableSwap-NG, plain or over a base pool
/// (whose coins cannot be exchanged through it): An·Σx + D = A·D·nⁿ + Dⁿ⁺¹/(nⁿ·∏x), a fee that grows
/// out of balance, rates of oracles and of vaults. Written for the devnet, from the formulas. It keeps
/// the last prices and no averages of them; coins that rebase are not for it, and nobody claims the
/// admin's part. Stands behind the factory's clones.
contract CurveStableNg is ShareToken {
    event TokenExchange(
        address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought
    );
    event AddLiquidity(
        address indexed provider, uint256[] token_amounts, uint256[] fees, uint256 invariant, uint256 token_supply
    );
    event RemoveLiquidity(
        address indexed provider, uint256[] token_amounts, uint256[] fees, uint256 token_supply
    );
    event RemoveLiquidityOne(
        address indexed provider, int128 token_id, uint256 token_amount, uint256 coin_amount, uint256 token_supply
    );
    event RampA(uint256 old_A, uint256 new_A, uint256 initial_time, uint256 future_time);
    event StopRampA(uint256 A, uint256 t);
    event ApplyNewFee(uint256 fee, uint256 offpeg_fee_multiplier);

    /// What a coin is: as the factory numbers them, and the token of a base pool.
    uint8 private constant ORACLE = 1;
    uint8 private constant VAULT = 3;
    uint8 private constant BASE_POOL = 4;

    uint256 private constant A_PRECISION = 100;
    uint256 private constant FEE_DENOMINATOR = 10 ** 10;
    uint256 private constant E18 = 10 ** 18;
    uint256 private constant PRICE_MAX = 2 * E18;
    uint256 private constant ROUNDS_MAX = 255;
    uint256 public constant admin_fee = FEE_DENOMINATOR / 2;
    string public constant version = "v7.0.0";

    struct Coin {
        address token;
        uint8 kind;
        uint256 multiplier;
        /// Of an oracle, whom to ask what; of a vault, of so many shares, and what the answer is scaled by.
        address oracle;
        bytes4 selector;
        uint256 shares;
        uint256 scale;
    }

    address public factory;
    Coin[] private kept;
    uint256[] public balances;
    uint256[] public admin_balances;
    uint256[] private prices;
    uint256 public fee;
    uint256 public offpeg_fee_multiplier;
    uint256 public initial_A;
    uint256 public future_A;
    uint256 public initial_A_time;
    uint256 public future_A_time;
    bool private transient locked;

    modifier nonReentrant() {
        require(!locked, "locked");
        locked = true;
        _;
        locked = false;
    }

    modifier onlyAdmin() {
        require(msg.sender == IOwned(factory).admin(), "not the admin");
        _;
    }

    /// Once, by the factory that makes the clone.
    function initialize(
        string calldata name_,
        string calldata symbol_,
        address[] calldata coins_,
        uint8[] calldata kinds,
        bytes4[] calldata selectors,
        address[] calldata oracles,
        uint256[3] calldata terms
    ) external {
        require(factory == address(0), "initialised");
        (factory, name, symbol) = (msg.sender, name_, symbol_);
        (initial_A, fee, offpeg_fee_multiplier) = (terms[0] * A_PRECISION, terms[1], terms[2]);
        future_A = initial_A;
        for (uint256 k; k < coins_.length; k++) {
            Coin storage coin = kept.push();
            (coin.token, coin.kind) = (coins_[k], kinds[k]);
            (coin.oracle, coin.selector) = (oracles[k], selectors[k]);
            uint8 digits = ICoin(coins_[k]).decimals();
            coin.multiplier = 10 ** (36 - digits);
            if (kinds[k] != VAULT) continue;
            coin.shares = 10 ** digits;
            coin.scale = 10 ** (18 - ICoin(ICoin(coins_[k]).asset()).decimals());
        }
        balances = new uint256[](coins_.length);
        admin_balances = new uint256[](coins_.length);
        prices = new uint256[](coins_.length);
    }

    // What there is

    function N_COINS() external view returns (uint256) {
        return kept.length;
    }

    function coins(uint256 k) external view returns (address) {
        return kept[k].token;
    }

    function get_balances() external view returns (uint256[] memory) {
        return balances;
    }

    function stored_rates() public view returns (uint256[] memory rates) {
        rates = new uint256[](kept.length);
        for (uint256 k; k < rates.length; k++) rates[k] = rateOf(kept[k]);
    }

    function A() external view returns (uint256) {
        return A_precise() / A_PRECISION;
    }

    /// On its straight way from one to the other while it ramps.
    function A_precise() public view returns (uint256) {
        if (block.timestamp >= future_A_time) return future_A;
        // A node that mines may answer for the block before with this state.
        if (block.timestamp <= initial_A_time) return initial_A;
        uint256 passed = block.timestamp - initial_A_time;
        uint256 whole = future_A_time - initial_A_time;
        return future_A > initial_A
            ? initial_A + (future_A - initial_A) * passed / whole
            : initial_A - (initial_A - future_A) * passed / whole;
    }

    /// Of a coin behind the first, at the last exchange.
    function last_price(uint256 k) external view returns (uint256) {
        return prices[k + 1];
    }

    function get_virtual_price() external view returns (uint256) {
        return invariant(scaledBalances(stored_rates()), A_precise()) * E18 / totalSupply;
    }

    function get_dy(int128 i, int128 j, uint256 dx) external view returns (uint256 dy) {
        uint256[] memory rates = stored_rates();
        uint256[] memory xp = scaledBalances(rates);
        uint256 x = xp[uint128(i)] + dx * rates[uint128(i)] / E18;
        (uint256 given, uint256 taken,,) = outputOf(uint128(i), uint128(j), x, xp, A_precise());
        return (given - taken) * E18 / rates[uint128(j)];
    }

    // What people do

    function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy) external nonReentrant returns (uint256 dy) {
        require(dx > 0, "nothing in");
        dy = swap(uint128(i), uint128(j), dx);
        require(dy >= min_dy, "Exchange resulted in fewer coins than expected");
        takeIn(uint128(i), dx);
        payOut(uint128(j), dy);
        emit TokenExchange(msg.sender, i, dx, j, dy);
    }

    function add_liquidity(uint256[] calldata amounts, uint256 min_mint_amount)
        external
        nonReentrant
        returns (uint256 minted)
    {
        uint256 n = kept.length;
        uint256[] memory rates = stored_rates();
        uint256[] memory old = balances;
        uint256 amp = A_precise();
        uint256 d0 = totalSupply == 0 ? 0 : invariant(scaled(rates, old), amp);
        uint256[] memory next = new uint256[](n);
        for (uint256 k; k < n; k++) {
            require(totalSupply > 0 || amounts[k] > 0, "the first has to give of each");
            next[k] = old[k] + amounts[k];
            if (amounts[k] > 0) takeIn(k, amounts[k]);
        }
        uint256 d1 = invariant(scaled(rates, next), amp);
        require(d1 > d0, "nothing more");
        uint256[] memory fees = new uint256[](n);
        balances = next;
        if (totalSupply == 0) {
            minted = d1;
        } else {
            fees = imbalanceFees(old, next, rates, d0, d1);
            for (uint256 k; k < n; k++) {
                uint256 part = fees[k] * admin_fee / FEE_DENOMINATOR;
                (balances[k], admin_balances[k]) = (next[k] - part, admin_balances[k] + part);
                next[k] -= fees[k];
            }
            uint256[] memory xp = scaled(rates, next);
            d1 = invariant(xp, amp);
            minted = totalSupply * (d1 - d0) / d0;
            keepPrices(xp, amp, d1);
        }
        require(minted >= min_mint_amount, "Slippage screwed you");
        mintShares(msg.sender, minted);
        emit AddLiquidity(msg.sender, amounts, fees, d1, totalSupply);
    }

    function remove_liquidity(uint256 burn_amount, uint256[] calldata min_amounts)
        external
        nonReentrant
        returns (uint256[] memory amounts)
    {
        require(burn_amount > 0, "no shares");
        amounts = new uint256[](kept.length);
        for (uint256 k; k < amounts.length; k++) {
            amounts[k] = balances[k] * burn_amount / totalSupply;
            require(amounts[k] >= min_amounts[k], "Withdrawal resulted in fewer coins than expected");
            balances[k] -= amounts[k];
            payOut(k, amounts[k]);
        }
        burnShares(msg.sender, burn_amount);
        emit RemoveLiquidity(msg.sender, amounts, new uint256[](amounts.length), totalSupply);
    }

    function remove_liquidity_one_coin(uint256 burn_amount, int128 i, uint256 min_received)
        external
        nonReentrant
        returns (uint256 dy)
    {
        require(burn_amount > 0, "no shares");
        uint256 taken;
        (dy, taken) = withdrawal(burn_amount, uint128(i));
        require(dy >= min_received, "Not enough coins removed");
        uint256 part = taken * admin_fee / FEE_DENOMINATOR;
        admin_balances[uint128(i)] += part;
        balances[uint128(i)] -= dy + part;
        burnShares(msg.sender, burn_amount);
        payOut(uint128(i), dy);
        emit RemoveLiquidityOne(msg.sender, i, burn_amount, dy, totalSupply);
    }

    // What the admin does

    function ramp_A(uint256 future, uint256 futureTime) external onlyAdmin {
        uint256 now_ = A_precise();
        require(futureTime > block.timestamp && future > 0, "not ahead");
        (initial_A, future_A) = (now_, future * A_PRECISION);
        (initial_A_time, future_A_time) = (block.timestamp, futureTime);
        emit RampA(now_, future_A, block.timestamp, futureTime);
    }

    function stop_ramp_A() external onlyAdmin {
        uint256 now_ = A_precise();
        (initial_A, future_A) = (now_, now_);
        (initial_A_time, future_A_time) = (block.timestamp, block.timestamp);
        emit StopRampA(now_, block.timestamp);
    }

    function set_new_fee(uint256 fee_, uint256 multiplier) external onlyAdmin {
        require(fee_ <= FEE_DENOMINATOR / 2 && multiplier * fee_ <= FEE_DENOMINATOR * FEE_DENOMINATOR / 2, "too much");
        (fee, offpeg_fee_multiplier) = (fee_, multiplier);
        emit ApplyNewFee(fee_, multiplier);
    }

    // The arithmetic

    function rateOf(Coin storage coin) private view returns (uint256 rate) {
        rate = coin.multiplier;
        if (coin.kind == BASE_POOL) return ICoin(coin.token).get_virtual_price();
        if (coin.kind == VAULT) return rate * ICoin(coin.token).convertToAssets(coin.shares) * coin.scale / E18;
        if (coin.kind != ORACLE || coin.oracle == address(0)) return rate;
        (bool succeeded, bytes memory answer) = coin.oracle.staticcall(abi.encodePacked(coin.selector));
        require(succeeded && answer.length == 32, "no rate");
        return rate * abi.decode(answer, (uint256)) / E18;
    }

    function scaled(uint256[] memory rates, uint256[] memory amounts) private pure returns (uint256[] memory xp) {
        xp = new uint256[](amounts.length);
        for (uint256 k; k < xp.length; k++) xp[k] = rates[k] * amounts[k] / E18;
    }

    function scaledBalances(uint256[] memory rates) private view returns (uint256[] memory) {
        return scaled(rates, balances);
    }

    /// Books an exchange, and gives what comes out.
    function swap(uint256 i, uint256 j, uint256 dx) private returns (uint256 dy) {
        uint256[] memory rates = stored_rates();
        uint256[] memory xp = scaledBalances(rates);
        uint256 amp = A_precise();
        uint256 x = xp[i] + dx * rates[i] / E18;
        (uint256 given, uint256 taken, uint256 y, uint256 d) = outputOf(i, j, x, xp, amp);
        dy = (given - taken) * E18 / rates[j];
        uint256 part = taken * admin_fee / FEE_DENOMINATOR * E18 / rates[j];
        balances[i] += dx;
        balances[j] -= dy + part;
        admin_balances[j] += part;
        (xp[i], xp[j]) = (x, y);
        keepPrices(xp, amp, d);
    }

    /// In numbers of 18 decimals: what comes out before the fee, the fee, what is left, and D.
    function outputOf(uint256 i, uint256 j, uint256 x, uint256[] memory xp, uint256 amp)
        private
        view
        returns (uint256 given, uint256 taken, uint256 y, uint256 d)
    {
        require(i != j, "the same coin");
        d = invariant(xp, amp);
        uint256 before = xp[i];
        xp[i] = x;
        y = balanceAt(xp, j, amp, d);
        xp[i] = before;
        given = xp[j] - y - 1;
        taken = given * dynamicFee((before + x) / 2, (xp[j] + y) / 2, fee) / FEE_DENOMINATOR;
    }

    /// The fee between two coins of which there is so much: `base` where that is the same.
    function dynamicFee(uint256 xi, uint256 xj, uint256 base) private view returns (uint256) {
        uint256 multiplier = offpeg_fee_multiplier;
        if (multiplier <= FEE_DENOMINATOR) return base;
        uint256 square = (xi + xj) ** 2;
        return multiplier * base / ((multiplier - FEE_DENOMINATOR) * 4 * xi * xj / square + FEE_DENOMINATOR);
    }

    /// D, by Newton's method from the sum.
    function invariant(uint256[] memory xp, uint256 amp) private pure returns (uint256 d) {
        uint256 n = xp.length;
        uint256 sum;
        for (uint256 k; k < n; k++) sum += xp[k];
        if (sum == 0) return 0;
        uint256 ann = amp * n;
        uint256 power = n ** n;
        d = sum;
        for (uint256 round; round < ROUNDS_MAX; round++) {
            uint256 product = d;
            for (uint256 k; k < n; k++) product = product * d / xp[k];
            product /= power;
            uint256 last = d;
            d = (ann * sum / A_PRECISION + product * n) * d
                / ((ann - A_PRECISION) * d / A_PRECISION + (n + 1) * product);
            if (distance(d, last) <= 1) return d;
        }
        revert("no end");
    }

    /// The balance of coin j at which the others as they are come to D.
    function balanceAt(uint256[] memory xp, uint256 j, uint256 amp, uint256 d) private pure returns (uint256 y) {
        uint256 n = xp.length;
        uint256 ann = amp * n;
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
            if (distance(y, last) <= 1) return y;
        }
        revert("no end");
    }

    /// Of each coin, for what is added of it beyond its part or less.
    function imbalanceFees(
        uint256[] memory old,
        uint256[] memory next,
        uint256[] memory rates,
        uint256 d0,
        uint256 d1
    ) private view returns (uint256[] memory fees) {
        uint256 n = old.length;
        uint256 base = fee * n / (4 * (n - 1));
        uint256 ys = (d0 + d1) / n;
        fees = new uint256[](n);
        for (uint256 k; k < n; k++) {
            uint256 apart = distance(d1 * old[k] / d0, next[k]);
            fees[k] = dynamicFee(rates[k] * (old[k] + next[k]) / E18, ys, base) * apart / FEE_DENOMINATOR;
        }
    }

    /// What shares are worth in one coin, and the fee in it, in units.
    function withdrawal(uint256 burnt, uint256 i) private returns (uint256 dy, uint256 taken) {
        uint256 amp = A_precise();
        uint256[] memory rates = stored_rates();
        uint256[] memory xp = scaledBalances(rates);
        uint256 d0 = invariant(xp, amp);
        uint256 d1 = d0 - burnt * d0 / totalSupply;
        uint256 y = balanceAt(xp, i, amp, d1);
        uint256[] memory reduced = reducedBalances(xp, i, y, d0, d1);
        dy = (reduced[i] - balanceAt(reduced, i, amp, d1) - 1) * E18 / rates[i];
        taken = (xp[i] - y) * E18 / rates[i] - dy;
        xp[i] = y;
        keepPrices(xp, amp, d1);
    }

    function reducedBalances(uint256[] memory xp, uint256 i, uint256 y, uint256 d0, uint256 d1)
        private
        view
        returns (uint256[] memory reduced)
    {
        uint256 n = xp.length;
        uint256 base = fee * n / (4 * (n - 1));
        uint256 ys = (d0 + d1) / (2 * n);
        reduced = new uint256[](n);
        for (uint256 k; k < n; k++) {
            uint256 kept_ = xp[k] * d1 / d0;
            (uint256 apart, uint256 mean) = k == i ? (kept_ - y, (xp[k] + y) / 2) : (xp[k] - kept_, xp[k]);
            reduced[k] = xp[k] - dynamicFee(mean, ys, base) * apart / FEE_DENOMINATOR;
        }
    }

    /// The prices of the other coins in the first at these balances; at most 2.
    function keepPrices(uint256[] memory xp, uint256 amp, uint256 d) private {
        uint256 n = xp.length;
        uint256 share = d / n ** n;
        for (uint256 k; k < n; k++) share = share * d / xp[k];
        uint256 first = amp * n * xp[0] / A_PRECISION;
        for (uint256 k = 1; k < n; k++) {
            uint256 price = E18 * (first + share * xp[0] / xp[k]) / (first + share);
            if (price > 0) prices[k] = price < PRICE_MAX ? price : PRICE_MAX;
        }
    }

    function distance(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a - b : b - a;
    }

    function takeIn(uint256 k, uint256 amount) private {
        require(ICoin(kept[k].token).transferFrom(msg.sender, address(this), amount), "not paid");
    }

    function payOut(uint256 k, uint256 amount) private {
        require(ICoin(kept[k].token).transfer(msg.sender, amount), "the coin refuses");
    }
}
