// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Does, when it is called, whatever it was told to do when that function is called: a pool, token or
/// recipient that stops at nothing.
contract ScriptedContract {
    struct Act {
        address target;
        uint256 value;
        bytes data;
        /// The whole call reverts, with the same words, when this act does.
        bool must;
    }

    mapping(bytes4 => Act[]) private acts;
    mapping(bytes4 => bytes) private answers;
    /// Of acts that may fail: whether they succeeded, and what was returned.
    bytes[] public outcomes;

    uint256 private transient depth;
    uint256 private constant DEPTH_MAX = 3;

    function setScript(bytes4 selector, Act[] calldata acts_, bytes calldata answer) external {
        delete acts[selector];
        delete outcomes;
        for (uint256 i; i < acts_.length; i++) acts[selector].push(acts_[i]);
        answers[selector] = answer;
    }

    function outcomeCount() external view returns (uint256) {
        return outcomes.length;
    }

    function perform(Act[] calldata acts_) external payable {
        for (uint256 i; i < acts_.length; i++) act(acts_[i]);
    }

    /// As a call of the function 0x00000000.
    receive() external payable {
        runScript();
    }

    fallback() external payable {
        runScript();
    }

    function runScript() private {
        if (acts[msg.sig].length != 0 && depth < DEPTH_MAX) {
            depth++;
            for (uint256 i; i < acts[msg.sig].length; i++) act(acts[msg.sig][i]);
            depth--;
        }
        bytes memory answer = answers[msg.sig];
        assembly {
            return(add(answer, 32), mload(answer))
        }
    }

    function act(Act memory next) private {
        (bool succeeded, bytes memory said) = next.target.call{value: next.value}(next.data);
        if (next.must && !succeeded) {
            assembly {
                revert(add(said, 32), mload(said))
            }
        }
        if (!next.must) outcomes.push(abi.encode(succeeded, said));
    }
}
