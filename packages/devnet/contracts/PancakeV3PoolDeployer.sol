// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Makes PancakeSwap V3's pools for their factory: the published package lacks the real one. A pool's
/// creation code is too long to be part of this: it is read from the address that holds it.
contract PancakeV3PoolDeployer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    address private immutable creationCode;
    /// What the pool under construction asks for.
    Parameters public parameters;

    constructor(address creationCode_) {
        creationCode = creationCode_;
    }

    function deploy(address factory, address token0, address token1, uint24 fee, int24 tickSpacing)
        external
        returns (address pool)
    {
        parameters = Parameters(factory, token0, token1, fee, tickSpacing);
        bytes memory code = creationCode.code;
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        assembly ("memory-safe") {
            pool := create2(0, add(code, 32), mload(code), salt)
        }
        require(pool != address(0), "no pool");
        delete parameters;
    }
}
