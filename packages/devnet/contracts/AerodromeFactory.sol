// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IAerodromePool {
    function initialize(address token0, address token1, bool stable) external;
}

/// Makes pools as Aerodrome's factory does, with its interface and logs: clones of one implementation,
/// fees that change, and one switch that pauses all pools. Its maker may change everything.
contract AerodromeFactory {
    error NotPauser();
    error NotFeeManager();
    error FeeTooHigh();
    error FeeInvalid();
    error ZeroFee();
    error InvalidPool();
    error SameAddress();
    error ZeroAddress();
    error PoolAlreadyExists();

    event PoolCreated(
        address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 poolCount
    );
    event SetCustomFee(address indexed pool, uint256 fee);
    event SetPauseState(bool indexed state);

    uint256 public constant MAX_FEE = 300;
    /// Stands for no fee among custom fees, of which 0 stands for none.
    uint256 public constant ZERO_FEE_INDICATOR = 420;

    address public immutable implementation;
    address public immutable pauser = msg.sender;
    address public immutable feeManager = msg.sender;
    bool public isPaused;
    uint256 public stableFee = 5;
    uint256 public volatileFee = 30;
    address[] public allPools;
    mapping(address => bool) public isPool;
    mapping(address => uint256) public customFee;
    mapping(address => mapping(address => mapping(bool => address))) private pools;

    constructor(address implementation_) {
        implementation = implementation_;
    }

    function allPoolsLength() external view returns (uint256) {
        return allPools.length;
    }

    function getPool(address tokenA, address tokenB, bool stable) external view returns (address) {
        return pools[tokenA][tokenB][stable];
    }

    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address) {
        return fee > 1 ? address(0) : pools[tokenA][tokenB][fee == 1];
    }

    /// In 1/10,000.
    function getFee(address pool, bool stable) external view returns (uint256) {
        uint256 fee = customFee[pool];
        if (fee == ZERO_FEE_INDICATOR) return 0;
        if (fee != 0) return fee;
        return stable ? stableFee : volatileFee;
    }

    function setFee(bool stable, uint256 fee) external {
        if (msg.sender != feeManager) revert NotFeeManager();
        if (fee > MAX_FEE) revert FeeTooHigh();
        if (fee == 0) revert ZeroFee();
        if (stable) stableFee = fee;
        else volatileFee = fee;
    }

    function setCustomFee(address pool, uint256 fee) external {
        if (msg.sender != feeManager) revert NotFeeManager();
        if (fee > MAX_FEE && fee != ZERO_FEE_INDICATOR) revert FeeTooHigh();
        if (!isPool[pool]) revert InvalidPool();
        customFee[pool] = fee;
        emit SetCustomFee(pool, fee);
    }

    function setPauseState(bool state) external {
        if (msg.sender != pauser) revert NotPauser();
        isPaused = state;
        emit SetPauseState(state);
    }

    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address) {
        if (fee > 1) revert FeeInvalid();
        return createPool(tokenA, tokenB, fee == 1);
    }

    function createPool(address tokenA, address tokenB, bool stable) public returns (address pool) {
        if (tokenA == tokenB) revert SameAddress();
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        if (token0 == address(0)) revert ZeroAddress();
        if (pools[token0][token1][stable] != address(0)) revert PoolAlreadyExists();
        pool = clone(keccak256(abi.encodePacked(token0, token1, stable)));
        IAerodromePool(pool).initialize(token0, token1, stable);
        pools[token0][token1][stable] = pool;
        pools[token1][token0][stable] = pool;
        allPools.push(pool);
        isPool[pool] = true;
        emit PoolCreated(token0, token1, stable, pool, allPools.length);
    }

    /// ERC-1167.
    function clone(bytes32 salt) private returns (address made) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        require(made != address(0), "not made");
    }
}
