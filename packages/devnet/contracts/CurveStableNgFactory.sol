// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "./Clones.sol";

interface INgPool {
    function initialize(
        string calldata name,
        string calldata symbol,
        address[] calldata coins,
        uint8[] calldata kinds,
        bytes4[] calldata selectors,
        address[] calldata oracles,
        uint256[3] calldata terms
    ) external;
}

interface INgCoin {
    function decimals() external view returns (uint8);
}

/// With the interface of Curve's factory of StableSwap-NG, whose logs do not say where a pool is: its
/// lists do. Anybody makes pools; who made the factory is the admin of all. Written for the devnet.
contract CurveStableNgFactory is Clones {
    event PlainPoolDeployed(address[] coins, uint256 A, uint256 fee, address deployer);
    event MetaPoolDeployed(address coin, address base_pool, uint256 A, uint256 fee, address deployer);

    struct Pool {
        address[] coins;
        uint8[] kinds;
        address basePool;
    }

    uint8 private constant BASE_POOL = 4;

    address public immutable admin;
    address private immutable implementation;
    address[] public pool_list;
    mapping(address => Pool) private pools;
    /// By two coins, whichever comes first.
    mapping(uint256 => address[]) private markets;

    constructor(address implementation_) {
        admin = msg.sender;
        implementation = implementation_;
    }

    function pool_count() external view returns (uint256) {
        return pool_list.length;
    }

    /// 0 behind the last one.
    function find_pool_for_coins(address from, address to, uint256 index) external view returns (address) {
        address[] storage found = markets[keyOf(from, to)];
        return index < found.length ? found[index] : address(0);
    }

    function get_coins(address pool) external view returns (address[] memory) {
        return pools[pool].coins;
    }

    function get_decimals(address pool) external view returns (uint256[] memory found) {
        address[] storage coins = pools[pool].coins;
        found = new uint256[](coins.length);
        for (uint256 k; k < found.length; k++) found[k] = INgCoin(coins[k]).decimals();
    }

    /// Of a metapool those of its base pool's coins.
    function get_pool_asset_types(address pool) external view returns (uint8[] memory) {
        address base = pools[pool].basePool;
        return pools[base == address(0) ? pool : base].kinds;
    }

    function get_base_pool(address pool) external view returns (address) {
        return pools[pool].basePool;
    }

    function deploy_plain_pool(
        string calldata name,
        string calldata symbol,
        address[] calldata coins,
        uint256 A,
        uint256 fee,
        uint256 offpeg_fee_multiplier,
        uint8[] calldata asset_types,
        bytes4[] calldata method_ids,
        address[] calldata oracles
    ) external returns (address pool) {
        pool = add(coins, asset_types, address(0));
        INgPool(pool).initialize(
            name, symbol, coins, asset_types, method_ids, oracles, [A, fee, offpeg_fee_multiplier]
        );
        for (uint256 k; k < coins.length; k++) {
            for (uint256 other = k + 1; other < coins.length; other++) {
                markets[keyOf(coins[k], coins[other])].push(pool);
            }
        }
        emit PlainPoolDeployed(coins, A, fee, msg.sender);
    }

    /// Of an ordinary coin and the shares of a plain pool of this factory.
    function deploy_metapool(
        address base_pool,
        string calldata name,
        string calldata symbol,
        address coin,
        uint256 A,
        uint256 fee,
        uint256 offpeg_fee_multiplier
    ) external returns (address pool) {
        address[] memory coins = new address[](2);
        uint8[] memory kinds = new uint8[](2);
        (coins[0], coins[1], kinds[1]) = (coin, base_pool, BASE_POOL);
        pool = add(coins, kinds, base_pool);
        INgPool(pool).initialize(
            name,
            symbol,
            coins,
            kinds,
            new bytes4[](2),
            new address[](2),
            [A, fee, offpeg_fee_multiplier]
        );
        address[] storage underlying = pools[base_pool].coins;
        markets[keyOf(coin, base_pool)].push(pool);
        for (uint256 k; k < underlying.length; k++) markets[keyOf(coin, underlying[k])].push(pool);
        emit MetaPoolDeployed(coin, base_pool, A, fee, msg.sender);
    }

    function add(address[] memory coins, uint8[] memory kinds, address basePool) private returns (address pool) {
        require(coins.length > 1 && coins.length <= 8 && kinds.length == coins.length, "not a pool");
        pool = clone(implementation);
        pool_list.push(pool);
        pools[pool] = Pool(coins, kinds, basePool);
    }

    function keyOf(address one, address other) private pure returns (uint256) {
        return uint256(uint160(one) ^ uint160(other));
    }
}
