// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC20 {
    function balanceOf(address holder) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// As Balancer V3's Vault where swaps are concerned: what it is owed and owes is counted while it is
/// unlocked, `settle` finds what was paid, and all must be even in the end. Its pools have two or more
/// tokens of the same weight.
contract BalancerV3Vault {
    struct SwapParams {
        uint8 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amountGivenRaw;
        uint256 limitRaw;
        bytes userData;
    }

    error VaultIsNotUnlocked();
    error BalanceNotSettled();
    error CannotReceiveEth();
    error SwapLimit(uint256 amount, uint256 limit);
    error TokenNotRegistered(address token);

    uint256 private constant PIPS = 1_000_000;

    /// By pool and token.
    mapping(address => mapping(address => uint256)) public balanceOf;
    mapping(address => uint256) public feePipsOf;
    mapping(address => uint256) public getReservesOf;

    bool private transient unlocked;
    uint256 private transient openCount;

    receive() external payable {
        revert CannotReceiveEth();
    }

    modifier onlyWhenUnlocked() {
        if (!unlocked) revert VaultIsNotUnlocked();
        _;
    }

    /// What was sent of these tokens becomes a pool's.
    function initialize(address pool, address[] calldata tokens, uint256 feePips) external {
        feePipsOf[pool] = feePips;
        for (uint256 i; i < tokens.length; i++) {
            uint256 held = IERC20(tokens[i]).balanceOf(address(this));
            balanceOf[pool][tokens[i]] += held - getReservesOf[tokens[i]];
            getReservesOf[tokens[i]] = held;
        }
    }

    function unlock(bytes calldata data) external returns (bytes memory answer) {
        bool isFirst = !unlocked;
        unlocked = true;
        bool succeeded;
        (succeeded, answer) = msg.sender.call(data);
        if (!succeeded) {
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
        if (isFirst) {
            if (openCount != 0) revert BalanceNotSettled();
            unlocked = false;
        }
    }

    function settle(address token, uint256 amountHint) external onlyWhenUnlocked returns (uint256 credit) {
        uint256 held = IERC20(token).balanceOf(address(this));
        credit = held - getReservesOf[token];
        getReservesOf[token] = held;
        if (credit > amountHint) credit = amountHint;
        account(token, -int256(credit));
    }

    function sendTo(address token, address to, uint256 amount) external onlyWhenUnlocked {
        account(token, int256(amount));
        getReservesOf[token] -= amount;
        require(IERC20(token).transfer(to, amount), "not paid");
    }

    function swap(SwapParams calldata params)
        external
        onlyWhenUnlocked
        returns (uint256 amountCalculated, uint256 amountIn, uint256 amountOut)
    {
        require(params.kind == 0 && params.amountGivenRaw != 0, "exact inputs only");
        mapping(address => uint256) storage balances = balanceOf[params.pool];
        (uint256 balanceIn, uint256 balanceOut) = (balances[params.tokenIn], balances[params.tokenOut]);
        if (balanceIn == 0) revert TokenNotRegistered(params.tokenIn);
        if (balanceOut == 0) revert TokenNotRegistered(params.tokenOut);
        amountIn = params.amountGivenRaw;
        uint256 kept = amountIn * (PIPS - feePipsOf[params.pool]) / PIPS;
        amountOut = balanceOut * kept / (balanceIn + kept);
        if (amountOut < params.limitRaw) revert SwapLimit(amountOut, params.limitRaw);
        balances[params.tokenIn] = balanceIn + amountIn;
        balances[params.tokenOut] = balanceOut - amountOut;
        account(params.tokenIn, int256(amountIn));
        account(params.tokenOut, -int256(amountOut));
        amountCalculated = amountOut;
    }

    /// What is owed of a token, above 0, is kept in transient storage at the token's number.
    function account(address token, int256 change) private {
        int256 before;
        assembly ("memory-safe") {
            before := tload(token)
            tstore(token, add(before, change))
        }
        if (before == 0 && change != 0) openCount++;
        else if (before != 0 && before + change == 0) openCount--;
    }
}
