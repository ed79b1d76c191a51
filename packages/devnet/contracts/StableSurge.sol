// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Of a pool of Balancer V3's.
interface IStablePool {
    function onSwap(StableSurge.PoolSwapParams memory params) external view returns (uint256 amountCalculatedScaled18);
}

/// A hook of Balancer V3 with StableSurge's interface and formula: a swap that leaves a stable pool
/// further from balance than a threshold, and than it was, pays more. Its owner may change threshold and
/// maximum of each pool. Written for the devnet, since Balancer does not publish its own.
contract StableSurge {
    struct TokenConfig {
        address token;
        uint8 tokenType;
        address rateProvider;
        bool paysYieldFees;
    }

    struct LiquidityManagement {
        bool disableUnbalancedLiquidity;
        bool enableAddLiquidityCustom;
        bool enableRemoveLiquidityCustom;
        bool enableDonation;
    }

    struct HookFlags {
        bool enableHookAdjustedAmounts;
        bool shouldCallBeforeInitialize;
        bool shouldCallAfterInitialize;
        bool shouldCallComputeDynamicSwapFee;
        bool shouldCallBeforeSwap;
        bool shouldCallAfterSwap;
        bool shouldCallBeforeAddLiquidity;
        bool shouldCallAfterAddLiquidity;
        bool shouldCallBeforeRemoveLiquidity;
        bool shouldCallAfterRemoveLiquidity;
    }

    /// `kind` is 0 of an exact input, 1 of an exact output.
    struct PoolSwapParams {
        uint8 kind;
        uint256 amountGivenScaled18;
        uint256[] balancesScaled18;
        uint256 indexIn;
        uint256 indexOut;
        address router;
        bytes userData;
    }

    event ThresholdSurgePercentageChanged(address indexed pool, uint256 newSurgeThresholdPercentage);
    event MaxSurgeFeePercentageChanged(address indexed pool, uint256 newMaxSurgeFeePercentage);

    error SenderIsNotVault(address sender);
    error SenderNotAllowed();
    error InvalidPercentage();

    uint256 private constant ONE = 1e18;
    /// Of adding liquidity and of removing it: in proportion.
    uint8 private constant PROPORTIONAL = 0;

    address public immutable vault;
    address public immutable owner;
    uint256 public immutable getDefaultMaxSurgeFeePercentage;
    uint256 public immutable getDefaultSurgeThresholdPercentage;
    /// By pool.
    mapping(address => uint256) public getMaxSurgeFeePercentage;
    mapping(address => uint256) public getSurgeThresholdPercentage;

    constructor(address vault_, address owner_, uint256 maxSurgeFee, uint256 threshold) {
        vault = vault_;
        owner = owner_;
        getDefaultMaxSurgeFeePercentage = maxSurgeFee;
        getDefaultSurgeThresholdPercentage = threshold;
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert SenderNotAllowed();
        _;
    }

    function getHookFlags() external pure returns (HookFlags memory flags) {
        flags.shouldCallComputeDynamicSwapFee = true;
        flags.shouldCallAfterAddLiquidity = true;
        flags.shouldCallAfterRemoveLiquidity = true;
    }

    function onRegister(address, address pool, TokenConfig[] calldata, LiquidityManagement calldata)
        external
        returns (bool)
    {
        if (msg.sender != vault) revert SenderIsNotVault(msg.sender);
        setMaximum(pool, getDefaultMaxSurgeFeePercentage);
        setThreshold(pool, getDefaultSurgeThresholdPercentage);
        return true;
    }

    function setMaxSurgeFeePercentage(address pool, uint256 percentage) external onlyOwner {
        setMaximum(pool, percentage);
    }

    function setSurgeThresholdPercentage(address pool, uint256 percentage) external onlyOwner {
        setThreshold(pool, percentage);
    }

    function onComputeDynamicSwapFeePercentage(PoolSwapParams calldata params, address pool, uint256 staticFee)
        external
        view
        returns (bool, uint256)
    {
        uint256 maximum = getMaxSurgeFeePercentage[pool];
        if (maximum < staticFee) return (true, staticFee);
        uint256 calculated = IStablePool(pool).onSwap(params);
        uint256[] memory balances = params.balancesScaled18;
        (uint256 paid, uint256 given) = params.kind == 0
            ? (params.amountGivenScaled18, calculated)
            : (calculated, params.amountGivenScaled18);
        uint256 before = imbalanceOf(balances);
        balances[params.indexIn] += paid;
        balances[params.indexOut] -= given;
        uint256 imbalance = imbalanceOf(balances);
        uint256 threshold = getSurgeThresholdPercentage[pool];
        if (imbalance <= before || imbalance <= threshold) return (true, staticFee);
        uint256 part = (imbalance - threshold) * ONE / (ONE - threshold);
        return (true, staticFee + (maximum - staticFee) * part / ONE);
    }

    function onAfterAddLiquidity(
        address,
        address pool,
        uint8 kind,
        uint256[] memory amountsInScaled18,
        uint256[] memory amountsInRaw,
        uint256,
        uint256[] memory balancesScaled18,
        bytes memory
    ) external view returns (bool, uint256[] memory) {
        if (kind == PROPORTIONAL) return (true, amountsInRaw);
        uint256 imbalance = imbalanceOf(balancesScaled18);
        for (uint256 i; i < balancesScaled18.length; i++) balancesScaled18[i] -= amountsInScaled18[i];
        return (!isSurging(pool, imbalanceOf(balancesScaled18), imbalance), amountsInRaw);
    }

    function onAfterRemoveLiquidity(
        address,
        address pool,
        uint8 kind,
        uint256,
        uint256[] memory amountsOutScaled18,
        uint256[] memory amountsOutRaw,
        uint256[] memory balancesScaled18,
        bytes memory
    ) external view returns (bool, uint256[] memory) {
        if (kind == PROPORTIONAL) return (true, amountsOutRaw);
        uint256 imbalance = imbalanceOf(balancesScaled18);
        for (uint256 i; i < balancesScaled18.length; i++) balancesScaled18[i] += amountsOutScaled18[i];
        return (!isSurging(pool, imbalanceOf(balancesScaled18), imbalance), amountsOutRaw);
    }

    function isSurging(address pool, uint256 before, uint256 imbalance) private view returns (bool) {
        return imbalance > before && imbalance > getSurgeThresholdPercentage[pool];
    }

    /// How far all balances together are from their median, of their sum. Sorts a copy.
    function imbalanceOf(uint256[] memory balances) private pure returns (uint256) {
        uint256 count = balances.length;
        uint256[] memory sorted = new uint256[](count);
        uint256 sum;
        for (uint256 i; i < count; i++) {
            uint256 balance = balances[i];
            uint256 place = i;
            for (; place > 0 && sorted[place - 1] > balance; place--) sorted[place] = sorted[place - 1];
            sorted[place] = balance;
            sum += balance;
        }
        uint256 median = count % 2 == 0 ? (sorted[count / 2 - 1] + sorted[count / 2]) / 2 : sorted[count / 2];
        uint256 apart;
        for (uint256 i; i < count; i++) apart += sorted[i] > median ? sorted[i] - median : median - sorted[i];
        return apart * ONE / sum;
    }

    function setMaximum(address pool, uint256 percentage) private {
        if (percentage > ONE) revert InvalidPercentage();
        getMaxSurgeFeePercentage[pool] = percentage;
        emit MaxSurgeFeePercentageChanged(pool, percentage);
    }

    function setThreshold(address pool, uint256 percentage) private {
        if (percentage > ONE) revert InvalidPercentage();
        getSurgeThresholdPercentage[pool] = percentage;
        emit ThresholdSurgePercentageChanged(pool, percentage);
    }
}
