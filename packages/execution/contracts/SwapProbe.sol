// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What a node runs in the place of a sender's own code, in a call that changes nothing, so that all
/// calls made here come from the sender: approvals, then a swap, and the balances before and after.
/// It is never deployed.
contract SwapProbe {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    struct Answer {
        // How many of the calls went through; all of them when the swap did.
        uint256 callsDone;
        // What the next one reverted with, cut off.
        bytes revertData;
        // Balances (the native one for address 0); the maximum where the token does not tell.
        uint256 inputBefore;
        uint256 inputAfter;
        uint256 outputBefore;
        uint256 outputAfter;
        // Of the last call that was made.
        uint256 gasUsed;
    }

    uint256 private constant REVERT_BYTES_MAX = 1024;
    bytes4 private constant VALID_SIGNATURE = 0x1626ba7e;

    receive() external payable {}

    /// The last of the calls is the swap. The input is the sender's, which is this address.
    function probe(Call[] calldata calls, address input, address output, address recipient)
        external
        returns (Answer memory answer)
    {
        answer.inputBefore = balanceOf(input, address(this));
        answer.outputBefore = balanceOf(output, recipient);
        while (answer.callsDone < calls.length) {
            Call calldata next = calls[answer.callsDone];
            bytes memory data = next.data;
            uint256 gasBefore = gasleft();
            bool done = execute(next.to, next.value, data);
            answer.gasUsed = gasBefore - gasleft();
            if (!done) {
                answer.revertData = returned();
                return answer;
            }
            answer.callsDone++;
        }
        answer.inputAfter = balanceOf(input, address(this));
        answer.outputAfter = balanceOf(output, recipient);
    }

    /// Permit2 and some tokens ask an address that has code about its signature. The sender's own
    /// would be judged by its key.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0;
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer == address(this) ? VALID_SIGNATURE : bytes4(0);
    }

    // Returned data stays where it is: a token may return so much that copying it takes all gas.

    function execute(address to, uint256 value, bytes memory data) private returns (bool done) {
        assembly ("memory-safe") {
            done := call(gas(), to, value, add(data, 32), mload(data), 0, 0)
        }
    }

    function returned() private pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, REVERT_BYTES_MAX) { size := REVERT_BYTES_MAX }
            data := mload(0x40)
            mstore(data, size)
            returndatacopy(add(data, 32), 0, size)
            mstore(0x40, add(add(data, 32), and(add(size, 31), not(31))))
        }
    }

    function balanceOf(address token, address owner) private view returns (uint256 held) {
        if (token == address(0)) return owner.balance;
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", owner);
        held = type(uint256).max;
        assembly ("memory-safe") {
            if staticcall(gas(), token, add(data, 32), mload(data), 0, 32) {
                if gt(returndatasize(), 31) { held := mload(0) }
            }
        }
    }
}
