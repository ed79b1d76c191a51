// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Clones of ERC-1167, made with CREATE: where they are follows from how many there were before.
abstract contract Clones {
    function clone(address implementation) internal returns (address made) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            made := create(0, add(code, 32), mload(code))
        }
        require(made != address(0), "no clone");
    }
}
