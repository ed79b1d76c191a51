// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ISlipstreamFactory {
    function swapFeeManager() external view returns (address);
    function isPair(address pool) external view returns (bool);
    function tickSpacingToFee(int24 tickSpacing) external view returns (uint24);
}

interface ISlipstreamPool {
    function tickSpacing() external view returns (int24);
    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, bool);
    function observe(uint32[] calldata secondsAgos) external view returns (int56[] memory, uint160[] memory);
}

/// Fees as Slipstream's DynamicSwapFeeModule has them, with its interface and logs: a base, and more
/// the further the price is from its average over some time. So they change without any log.
contract SlipstreamFeeModule {
    struct DynamicFeeConfig {
        uint24 baseFee;
        uint24 feeCap;
        uint64 scalingFactor;
    }

    event CustomFeeSet(address indexed pool, uint24 indexed fee);
    event ScalingFactorSet(address indexed pool, uint256 indexed scalingFactor);
    event FeeCapSet(address indexed pool, uint256 indexed feeCap);
    event DynamicFeeReset(address indexed pool);
    event DefaultScalingFactorSet(uint256 indexed defaultScalingFactor);
    event DefaultFeeCapSet(uint256 indexed defaultFeeCap);
    event DiscountedRegistered(address indexed discountReceiver, uint24 indexed discount);
    event DiscountedDeregistered(address indexed discountReceiver);
    event SecondsAgoSet(uint32 indexed secondsAgo);

    /// The time of a block: with fewer observations than blocks there is no average.
    uint32 public constant MIN_SECONDS_AGO = 2;
    uint32 public constant MAX_SECONDS_AGO = 65535 * MIN_SECONDS_AGO;
    uint256 public constant MAX_BASE_FEE = 30_000;
    uint256 public constant MAX_DISCOUNT = 500_000;
    uint256 public constant ZERO_FEE_INDICATOR = 420;
    uint256 public constant MAX_SCALING_FACTOR = 1e18;
    uint256 public constant SCALING_PRECISION = 1e6;
    uint256 public constant MAX_FEE_CAP = 50_000;

    ISlipstreamFactory public immutable factory;
    uint256 public defaultScalingFactor;
    uint256 public defaultFeeCap;
    uint32 public secondsAgo = 600;
    mapping(address => uint24) public discounted;
    mapping(address => DynamicFeeConfig) public dynamicFeeConfig;

    modifier onlySwapFeeManager() {
        require(msg.sender == factory.swapFeeManager(), "NFM");
        _;
    }

    modifier ofPool(address pool) {
        require(factory.isPair(pool), "not a pool");
        _;
    }

    constructor(ISlipstreamFactory factory_, uint256 scalingFactor, uint256 feeCap) {
        factory = factory_;
        setDefaults(scalingFactor, feeCap);
    }

    /// In pips.
    function getFee(address pool) external view returns (uint24) {
        DynamicFeeConfig memory config = dynamicFeeConfig[pool];
        uint256 base = config.baseFee;
        if (base == ZERO_FEE_INDICATOR) return 0;
        if (base == 0) base = factory.tickSpacingToFee(ISlipstreamPool(pool).tickSpacing());
        (uint256 scalingFactor, uint256 cap) = config.scalingFactor == 0
            ? (defaultScalingFactor, defaultFeeCap)
            : (config.scalingFactor, uint256(config.feeCap));
        uint256 fee = base + away(pool) * scalingFactor / SCALING_PRECISION;
        if (fee > cap) fee = cap;
        // What is taken off is rounded up.
        uint256 discount = discounted[tx.origin];
        if (discount > 0) fee -= (fee * discount + 999_999) / 1_000_000;
        return uint24(fee);
    }

    /// Ticks between the price and its average; 0 where there is none, or not enough is remembered.
    function away(address pool) private view returns (uint256) {
        (, int24 tick,, uint16 cardinality,,) = ISlipstreamPool(pool).slot0();
        if (cardinality < secondsAgo / MIN_SECONDS_AGO) return 0;
        uint32[] memory times = new uint32[](2);
        times[0] = secondsAgo;
        try ISlipstreamPool(pool).observe(times) returns (int56[] memory cumulatives, uint160[] memory) {
            int56 average = (cumulatives[1] - cumulatives[0]) / int56(uint56(secondsAgo));
            int56 distance = tick - average;
            return uint256(int256(distance < 0 ? -distance : distance));
        } catch {
            return 0;
        }
    }

    function customFee(address pool) external view returns (uint24) {
        return dynamicFeeConfig[pool].baseFee;
    }

    function setCustomFee(address pool, uint24 fee) external onlySwapFeeManager ofPool(pool) {
        require(fee <= MAX_BASE_FEE || fee == ZERO_FEE_INDICATOR, "MBF");
        dynamicFeeConfig[pool].baseFee = fee;
        emit CustomFeeSet(pool, fee);
    }

    function setFeeCap(address pool, uint24 cap) external onlySwapFeeManager ofPool(pool) {
        require(cap > 0, "FC0");
        require(cap <= MAX_FEE_CAP, "MFC");
        dynamicFeeConfig[pool].feeCap = cap;
        emit FeeCapSet(pool, cap);
    }

    function setScalingFactor(address pool, uint64 scalingFactor) external onlySwapFeeManager ofPool(pool) {
        require(dynamicFeeConfig[pool].feeCap != 0 && scalingFactor <= MAX_SCALING_FACTOR, "ISF");
        dynamicFeeConfig[pool].scalingFactor = scalingFactor;
        emit ScalingFactorSet(pool, scalingFactor);
    }

    function resetDynamicFee(address pool) external onlySwapFeeManager ofPool(pool) {
        (dynamicFeeConfig[pool].feeCap, dynamicFeeConfig[pool].scalingFactor) = (0, 0);
        emit DynamicFeeReset(pool);
    }

    function setDefaultScalingFactor(uint256 scalingFactor) external onlySwapFeeManager {
        setDefaults(scalingFactor, defaultFeeCap);
    }

    function setDefaultFeeCap(uint256 cap) external onlySwapFeeManager {
        setDefaults(defaultScalingFactor, cap);
    }

    function setSecondsAgo(uint32 time) external onlySwapFeeManager {
        require(time >= MIN_SECONDS_AGO && time < MAX_SECONDS_AGO, "ISA");
        secondsAgo = time;
        emit SecondsAgoSet(time);
    }

    function registerDiscounted(address receiver, uint24 discount) external onlySwapFeeManager {
        require(discount <= MAX_DISCOUNT, "MDC");
        discounted[receiver] = discount;
        emit DiscountedRegistered(receiver, discount);
    }

    function deregisterDiscounted(address receiver) external onlySwapFeeManager {
        delete discounted[receiver];
        emit DiscountedDeregistered(receiver);
    }

    function setDefaults(uint256 scalingFactor, uint256 cap) private {
        require(scalingFactor <= MAX_SCALING_FACTOR, "ISF");
        require(cap <= MAX_FEE_CAP, "MFC");
        if (scalingFactor != defaultScalingFactor) emit DefaultScalingFactorSet(scalingFactor);
        if (cap != defaultFeeCap) emit DefaultFeeCapSet(cap);
        (defaultScalingFactor, defaultFeeCap) = (scalingFactor, cap);
    }
}
