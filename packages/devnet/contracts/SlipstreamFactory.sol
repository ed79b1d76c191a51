// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ISlipstreamPool {
    function tickSpacing() external view returns (int24);
    function initialize(
        address factory,
        address token0,
        address token1,
        int24 tickSpacing,
        address gauge,
        address nft,
        uint160 sqrtPriceX96
    ) external;
}

interface IFeeModule {
    function getFee(address pool) external view returns (uint24);
}

/// Makes pools as Slipstream's factory does, with its interface and logs: clones of one
/// implementation, one for each two tokens and tick spacing. Fees are what a module says, which may
/// be replaced at any time. Its maker may change everything.
contract SlipstreamFactory {
    event OwnerChanged(address indexed oldOwner, address indexed newOwner);
    event SwapFeeManagerChanged(address indexed oldFeeManager, address indexed newFeeManager);
    event SwapFeeModuleChanged(address indexed oldFeeModule, address indexed newFeeModule);
    event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool);
    event TickSpacingEnabled(int24 indexed tickSpacing, uint24 indexed fee);

    uint256 private constant MODULE_GAS = 200_000;
    uint24 private constant MAX_FEE = 100_000;
    uint24 private constant UNSTAKED_FEE = 100_000;

    address public immutable poolImplementation;
    address public immutable owner = msg.sender;
    address public immutable swapFeeManager = msg.sender;
    address public swapFeeModule;
    address[] public allPools;
    int24[] private spacings;
    mapping(int24 => uint24) public tickSpacingToFee;
    mapping(address => mapping(address => mapping(int24 => address))) public getPool;
    mapping(address => bool) public isPair;

    constructor(address poolImplementation_) {
        poolImplementation = poolImplementation_;
        emit OwnerChanged(address(0), msg.sender);
        emit SwapFeeManagerChanged(address(0), msg.sender);
        enable(1, 100);
        enable(50, 500);
        enable(100, 500);
        enable(200, 3_000);
        enable(2_000, 10_000);
    }

    function allPoolsLength() external view returns (uint256) {
        return allPools.length;
    }

    function tickSpacings() external view returns (int24[] memory) {
        return spacings;
    }

    function enableTickSpacing(int24 tickSpacing, uint24 fee) external {
        require(msg.sender == owner, "not the owner");
        require(fee <= MAX_FEE && tickSpacing > 0 && tickSpacing < 16384, "out of range");
        require(tickSpacingToFee[tickSpacing] == 0, "enabled");
        enable(tickSpacing, fee);
    }

    function setSwapFeeModule(address module) external {
        require(msg.sender == swapFeeManager, "not the fee manager");
        require(module != address(0), "no module");
        emit SwapFeeModuleChanged(swapFeeModule, module);
        swapFeeModule = module;
    }

    /// In pips: what the module says within its gas, unless that is too much; else the spacing's. It
    /// is read as one word, however much the module returns.
    function getSwapFee(address pool) external view returns (uint24) {
        address module = swapFeeModule;
        bytes memory question = abi.encodeCall(IFeeModule.getFee, (pool));
        bool said;
        uint256 fee;
        assembly ("memory-safe") {
            mstore(0, 0)
            said := staticcall(MODULE_GAS, module, add(question, 32), mload(question), 0, 32)
            said := and(said, gt(returndatasize(), 31))
            fee := mload(0)
        }
        return said && fee <= MAX_FEE ? uint24(fee) : tickSpacingToFee[ISlipstreamPool(pool).tickSpacing()];
    }

    function getUnstakedFee(address) external pure returns (uint24) {
        return UNSTAKED_FEE;
    }

    function createPool(address tokenA, address tokenB, int24 tickSpacing, uint160 sqrtPriceX96)
        external
        returns (address pool)
    {
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        require(token0 != token1 && token0 != address(0), "not two tokens");
        require(tickSpacingToFee[tickSpacing] != 0, "no such spacing");
        require(getPool[token0][token1][tickSpacing] == address(0), "exists");
        pool = clone(keccak256(abi.encode(token0, token1, tickSpacing)));
        ISlipstreamPool(pool).initialize(
            address(this), token0, token1, tickSpacing, address(0), address(0), sqrtPriceX96
        );
        getPool[token0][token1][tickSpacing] = pool;
        getPool[token1][token0][tickSpacing] = pool;
        isPair[pool] = true;
        allPools.push(pool);
        emit PoolCreated(token0, token1, tickSpacing, pool);
    }

    function enable(int24 tickSpacing, uint24 fee) private {
        tickSpacingToFee[tickSpacing] = fee;
        spacings.push(tickSpacing);
        emit TickSpacingEnabled(tickSpacing, fee);
    }

    /// ERC-1167.
    function clone(bytes32 salt) private returns (address made) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", poolImplementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        require(made != address(0), "not made");
    }
}
