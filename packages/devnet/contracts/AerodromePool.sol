// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
    function decimals() external view returns (uint8);
    function balanceOf(address holder) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IAerodromeFactory {
    function isPaused() external view returns (bool);
    function getFee(address pool, bool stable) external view returns (uint256);
}

interface IPoolCallee {
    function hook(address sender, uint256 amount0, uint256 amount1, bytes calldata data) external;
}

/// Holds the fees of a pool until those who have its shares claim them.
contract AerodromePoolFees {
    address private immutable pool = msg.sender;

    function pay(address token, address to, uint256 amount) external {
        require(msg.sender == pool, "not the pool");
        require(IToken(token).transfer(to, amount), "not paid");
    }
}

/// A pool with the interface, the logs and the arithmetic of Aerodrome's: xy = k where it is volatile,
/// x³y + xy³ = k where it is stable. Written for the devnet; its numbers are held against those that
/// the real one gave. It leaves out the prices over time, and the permits of shares.
///
/// It is used through clones, so nothing of it is immutable.
contract AerodromePool {
    struct Observation {
        uint256 timestamp;
        uint256 reserve0Cumulative;
        uint256 reserve1Cumulative;
    }

    error DepositsNotEqual();
    error BelowMinimumK();
    error FactoryAlreadySet();
    error InsufficientLiquidity();
    error InsufficientLiquidityMinted();
    error InsufficientLiquidityBurned();
    error InsufficientOutputAmount();
    error InsufficientInputAmount();
    error IsPaused();
    error InvalidTo();
    error K();

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Fees(address indexed sender, uint256 amount0, uint256 amount1);
    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, address indexed to, uint256 amount0, uint256 amount1);
    event Swap(
        address indexed sender,
        address indexed to,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out
    );
    event Sync(uint256 reserve0, uint256 reserve1);
    event Claim(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1);

    uint256 private constant ONE = 1e18;
    uint256 private constant MINIMUM_LIQUIDITY = 1e3;
    uint256 private constant MINIMUM_K = 1e10;
    uint256 private constant ROUNDS_MAX = 255;
    uint256 public constant periodSize = 1800;
    uint8 public constant decimals = 18;

    bool public stable;
    bool private transient locked;
    address public token0;
    address public token1;
    address public factory;
    address public poolFees;
    uint256 private decimals0;
    uint256 private decimals1;
    uint256 public reserve0;
    uint256 public reserve1;
    uint256 public blockTimestampLast;
    uint256 public reserve0CumulativeLast;
    uint256 public reserve1CumulativeLast;
    Observation[] public observations;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    /// Fees for each share since the pool began, and up to where a holder's are counted.
    uint256 public index0;
    uint256 public index1;
    mapping(address => uint256) public supplyIndex0;
    mapping(address => uint256) public supplyIndex1;
    mapping(address => uint256) public claimable0;
    mapping(address => uint256) public claimable1;

    modifier nonReentrant() {
        require(!locked, "reentered");
        locked = true;
        _;
        locked = false;
    }

    function initialize(address token0_, address token1_, bool stable_) external {
        if (factory != address(0)) revert FactoryAlreadySet();
        (factory, token0, token1, stable) = (msg.sender, token0_, token1_, stable_);
        poolFees = address(new AerodromePoolFees());
        decimals0 = 10 ** IToken(token0_).decimals();
        decimals1 = 10 ** IToken(token1_).decimals();
        observations.push(Observation(block.timestamp, 0, 0));
    }

    function name() external view returns (string memory) {
        return stable ? "StableV1 AMM" : "VolatileV1 AMM";
    }

    function symbol() external view returns (string memory) {
        return stable ? "sAMM" : "vAMM";
    }

    function tokens() external view returns (address, address) {
        return (token0, token1);
    }

    function metadata()
        external
        view
        returns (uint256 dec0, uint256 dec1, uint256 r0, uint256 r1, bool st, address t0, address t1)
    {
        return (decimals0, decimals1, reserve0, reserve1, stable, token0, token1);
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, blockTimestampLast);
    }

    function observationLength() external view returns (uint256) {
        return observations.length;
    }

    // Swaps

    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256) {
        amountIn -= amountIn * IAerodromeFactory(factory).getFee(address(this), stable) / 10_000;
        bool zeroForOne = tokenIn == token0;
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        if (!stable) return amountIn * reserveOut / (reserveIn + amountIn);
        (uint256 scaleIn, uint256 scaleOut) = zeroForOne ? (decimals0, decimals1) : (decimals1, decimals0);
        uint256 k = invariant(reserve0, reserve1);
        (uint256 x, uint256 y) = (reserveIn * ONE / scaleIn, reserveOut * ONE / scaleOut);
        uint256 newX = amountIn * ONE / scaleIn + x;
        return (y - solve(newX, k, y)) * scaleOut / ONE;
    }

    /// What goes out is sent first; what has come in beyond the reserves is what was paid.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external nonReentrant {
        if (IAerodromeFactory(factory).isPaused()) revert IsPaused();
        if (amount0Out == 0 && amount1Out == 0) revert InsufficientOutputAmount();
        if (amount0Out >= reserve0 || amount1Out >= reserve1) revert InsufficientLiquidity();
        if (to == token0 || to == token1) revert InvalidTo();
        if (amount0Out > 0) send(token0, to, amount0Out);
        if (amount1Out > 0) send(token1, to, amount1Out);
        if (data.length > 0) IPoolCallee(to).hook(msg.sender, amount0Out, amount1Out, data);
        uint256 amount0In = beyond(IToken(token0).balanceOf(address(this)), reserve0 - amount0Out);
        uint256 amount1In = beyond(IToken(token1).balanceOf(address(this)), reserve1 - amount1Out);
        if (amount0In == 0 && amount1In == 0) revert InsufficientInputAmount();
        takeFees(amount0In, amount1In);
        (uint256 balance0, uint256 balance1) = balances();
        if (invariant(balance0, balance1) < invariant(reserve0, reserve1)) revert K();
        update(balance0, balance1);
        emit Swap(msg.sender, to, amount0In, amount1In, amount0Out, amount1Out);
    }

    function takeFees(uint256 amount0In, uint256 amount1In) private {
        uint256 fee = IAerodromeFactory(factory).getFee(address(this), stable);
        uint256 fee0 = amount0In * fee / 10_000;
        uint256 fee1 = amount1In * fee / 10_000;
        if (fee0 > 0) {
            send(token0, poolFees, fee0);
            index0 += fee0 * ONE / totalSupply;
            emit Fees(msg.sender, fee0, 0);
        }
        if (fee1 > 0) {
            send(token1, poolFees, fee1);
            index1 += fee1 * ONE / totalSupply;
            emit Fees(msg.sender, 0, fee1);
        }
    }

    // The stable curve, over numbers of 18 decimals

    /// Of amounts in the tokens' own units.
    function invariant(uint256 x, uint256 y) private view returns (uint256) {
        return stable ? curve(x * ONE / decimals0, y * ONE / decimals1) : x * y;
    }

    /// xy · (x² + y²), each product rounded down.
    function curve(uint256 x, uint256 y) private pure returns (uint256) {
        return (x * y / ONE) * (x * x / ONE + y * y / ONE) / ONE;
    }

    /// By y: 3xy² + x³.
    function slope(uint256 x, uint256 y) private pure returns (uint256) {
        return 3 * x * (y * y / ONE) / ONE + (x * x / ONE) * x / ONE;
    }

    /// The y at which the curve has k, by Newton's steps from another. A step of nothing is an answer
    /// where y + 1, or y - 1, would be on the other side, else a step of one. The real contract looks
    /// at y + 1 by the invariant of unscaled amounts, though these are scaled: with few decimals that
    /// overflows for some amounts, and a swap has no quote.
    function solve(uint256 x, uint256 k, uint256 y) private view returns (uint256) {
        for (uint256 round = 0; round < ROUNDS_MAX; round++) {
            uint256 found = curve(x, y);
            if (found < k) {
                uint256 step = (k - found) * ONE / slope(x, y);
                if (step == 0 && invariant(x, y + 1) > k) return y + 1;
                y += step == 0 ? 1 : step;
            } else {
                uint256 step = (found - k) * ONE / slope(x, y);
                if (step == 0 && (found == k || curve(x, y - 1) < k)) return y;
                y -= step == 0 ? 1 : step;
            }
        }
        revert("!y");
    }

    // Liquidity

    function mint(address to) external nonReentrant returns (uint256 liquidity) {
        (uint256 balance0, uint256 balance1) = balances();
        (uint256 amount0, uint256 amount1) = (balance0 - reserve0, balance1 - reserve1);
        if (totalSupply == 0) {
            liquidity = root(amount0 * amount1) - MINIMUM_LIQUIDITY;
            move(address(0), address(1), MINIMUM_LIQUIDITY);
            if (stable) {
                if (amount0 * ONE / decimals0 != amount1 * ONE / decimals1) revert DepositsNotEqual();
                if (invariant(amount0, amount1) <= MINIMUM_K) revert BelowMinimumK();
            }
        } else {
            uint256 liquidity0 = amount0 * totalSupply / reserve0;
            uint256 liquidity1 = amount1 * totalSupply / reserve1;
            liquidity = liquidity0 < liquidity1 ? liquidity0 : liquidity1;
        }
        if (liquidity == 0) revert InsufficientLiquidityMinted();
        move(address(0), to, liquidity);
        update(balance0, balance1);
        emit Mint(msg.sender, amount0, amount1);
    }

    /// Of the shares that were sent here.
    function burn(address to) external nonReentrant returns (uint256 amount0, uint256 amount1) {
        (uint256 balance0, uint256 balance1) = balances();
        uint256 liquidity = balanceOf[address(this)];
        amount0 = liquidity * balance0 / totalSupply;
        amount1 = liquidity * balance1 / totalSupply;
        if (amount0 == 0 || amount1 == 0) revert InsufficientLiquidityBurned();
        move(address(this), address(0), liquidity);
        send(token0, to, amount0);
        send(token1, to, amount1);
        (balance0, balance1) = balances();
        update(balance0, balance1);
        emit Burn(msg.sender, to, amount0, amount1);
    }

    function claimFees() external returns (uint256 claimed0, uint256 claimed1) {
        count(msg.sender);
        (claimed0, claimed1) = (claimable0[msg.sender], claimable1[msg.sender]);
        (claimable0[msg.sender], claimable1[msg.sender]) = (0, 0);
        if (claimed0 > 0) AerodromePoolFees(poolFees).pay(token0, msg.sender, claimed0);
        if (claimed1 > 0) AerodromePoolFees(poolFees).pay(token1, msg.sender, claimed1);
        emit Claim(msg.sender, msg.sender, claimed0, claimed1);
    }

    function skim(address to) external nonReentrant {
        (uint256 balance0, uint256 balance1) = balances();
        send(token0, to, balance0 - reserve0);
        send(token1, to, balance1 - reserve1);
    }

    function sync() external nonReentrant {
        (uint256 balance0, uint256 balance1) = balances();
        update(balance0, balance1);
    }

    function update(uint256 balance0, uint256 balance1) private {
        uint256 elapsed = block.timestamp - blockTimestampLast;
        if (elapsed > 0 && reserve0 != 0 && reserve1 != 0) {
            reserve0CumulativeLast += reserve0 * elapsed;
            reserve1CumulativeLast += reserve1 * elapsed;
        }
        if (block.timestamp - observations[observations.length - 1].timestamp > periodSize)
            observations.push(Observation(block.timestamp, reserve0CumulativeLast, reserve1CumulativeLast));
        (reserve0, reserve1, blockTimestampLast) = (balance0, balance1, block.timestamp);
        emit Sync(balance0, balance1);
    }

    // Shares

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    /// From nobody: made. To nobody: burnt.
    function move(address from, address to, uint256 value) private {
        if (from == address(0)) {
            totalSupply += value;
        } else {
            count(from);
            balanceOf[from] -= value;
        }
        if (to == address(0)) {
            totalSupply -= value;
        } else {
            count(to);
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }

    /// Gives a holder what its shares have earned until now.
    function count(address holder) private {
        uint256 shares = balanceOf[holder];
        claimable0[holder] += shares * (index0 - supplyIndex0[holder]) / ONE;
        claimable1[holder] += shares * (index1 - supplyIndex1[holder]) / ONE;
        (supplyIndex0[holder], supplyIndex1[holder]) = (index0, index1);
    }

    function balances() private view returns (uint256, uint256) {
        return (IToken(token0).balanceOf(address(this)), IToken(token1).balanceOf(address(this)));
    }

    function send(address token, address to, uint256 amount) private {
        require(IToken(token).transfer(to, amount), "not sent");
    }

    function beyond(uint256 balance, uint256 kept) private pure returns (uint256) {
        return balance > kept ? balance - kept : 0;
    }

    /// Rounded down.
    function root(uint256 value) private pure returns (uint256 result) {
        if (value == 0) return 0;
        result = 1 << ((log2(value) >> 1) + 1);
        for (uint256 next = (result + value / result) >> 1; next < result; next = (result + value / result) >> 1)
            result = next;
    }

    function log2(uint256 value) private pure returns (uint256 bits) {
        for (; value > 1; value >>= 1) bits++;
    }
}
