// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "./Clones.sol";

struct CryptoTerms {
    uint256 midFee;
    uint256 outFee;
    uint256 feeGamma;
    uint256 allowedExtraProfit;
    uint256 adjustmentStep;
    uint256 maTime;
}

interface ICryptoPool {
    function initialize(
        string calldata name,
        string calldata version,
        address math,
        bool isNewer,
        address[] calldata coins,
        uint256[2] calldata aGamma,
        CryptoTerms calldata terms,
        uint256[] calldata prices
    ) external;
}

interface ICryptoMathVersion {
    function version() external view returns (string memory);
}

interface ICryptoDecimals {
    function decimals() external view returns (uint8);
}

/// Makes crypto pools of two tokens or of three, and tells of them as Curve's two factories do; of what
/// they have packed, only the pools know. Anybody makes pools; who made the factory is the admin of all.
/// Written for the devnet.
contract CurveCryptoFactory is Clones {
    event TwocryptoPoolDeployed(
        address pool,
        string name,
        string symbol,
        address[2] coins,
        address math,
        bytes32 salt,
        uint256[2] precisions,
        uint256 packed_A_gamma,
        uint256 packed_fee_params,
        uint256 packed_rebalancing_params,
        uint256 packed_prices,
        address deployer
    );
    event TricryptoPoolDeployed(
        address pool,
        string name,
        string symbol,
        address weth,
        address[3] coins,
        address math,
        bytes32 salt,
        uint256 packed_precisions,
        uint256 packed_A_gamma,
        uint256 packed_fee_params,
        uint256 packed_rebalancing_params,
        uint256 packed_prices,
        address deployer
    );

    address public immutable admin;
    address private immutable implementation;
    address private immutable math;
    bool private immutable isNewer;

    constructor(address implementation_, address math_, bool isNewer_) {
        admin = msg.sender;
        (implementation, math, isNewer) = (implementation_, math_, isNewer_);
    }

    function deploy(
        string calldata name,
        address[] calldata coins,
        uint256[2] calldata aGamma,
        CryptoTerms calldata terms,
        uint256[] calldata prices
    ) external returns (address pool) {
        pool = clone(implementation);
        string memory version = ICryptoMathVersion(math).version();
        ICryptoPool(pool).initialize(name, version, math, isNewer, coins, aGamma, terms, prices);
        if (coins.length == 2) tellTwo(pool, name, coins, aGamma);
        else tellThree(pool, name, coins, aGamma);
    }

    function tellTwo(address pool, string calldata name, address[] calldata coins, uint256[2] calldata aGamma)
        private
    {
        emit TwocryptoPoolDeployed(
            pool,
            name,
            name,
            [coins[0], coins[1]],
            math,
            bytes32(0),
            [precisionOf(coins[0]), precisionOf(coins[1])],
            aGamma[0] << 128 | aGamma[1],
            0,
            0,
            0,
            msg.sender
        );
    }

    function tellThree(address pool, string calldata name, address[] calldata coins, uint256[2] calldata aGamma)
        private
    {
        emit TricryptoPoolDeployed(
            pool,
            name,
            name,
            address(0),
            [coins[0], coins[1], coins[2]],
            math,
            bytes32(0),
            0,
            aGamma[0] << 128 | aGamma[1],
            0,
            0,
            0,
            msg.sender
        );
    }

    function precisionOf(address coin) private view returns (uint256) {
        return 10 ** (18 - ICryptoDecimals(coin).decimals());
    }
}
