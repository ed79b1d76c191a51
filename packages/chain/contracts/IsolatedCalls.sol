// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Asks contracts for a word each, in one call of a node that creates this contract and never
/// deploys it. No contract can spoil another's answer: each is called statically, with all of the
/// gas that was promised to it or not at all, and nothing of what it returns is copied but a word.
///
/// Behind the creation code stand the calls (target, 20 bytes; length of the data, 2; the data), one
/// after the other, then the gas of each and the length of all of these together (4 bytes each).
/// What would be the contract's code are the answers, one after the other: a byte that is 1 where
/// the target returned exactly one word, else 0, and the word. Calls for which there was not gas
/// enough are left out at the end.
contract IsolatedCalls {
    /// What storing an answer as code costs, by byte.
    uint256 private constant DEPOSIT_GAS = 200;
    uint256 private constant ANSWER_BYTES = 33;
    /// For one round of the loop, a cold account and growing memory included, and for the end.
    uint256 private constant OWN_GAS = 20_000;

    constructor() {
        assembly ("memory-safe") {
            let calls := mload(0x40)
            codecopy(calls, sub(codesize(), 8), 8)
            let callGas := shr(224, mload(calls))
            let length := shr(224, mload(add(calls, 4)))
            codecopy(calls, sub(codesize(), add(length, 8)), length)
            let end := add(calls, length)
            // Words are read past the end of the data, and written behind those.
            let answers := add(end, 64)
            let answer := answers
            for { let next := calls } lt(next, end) {} {
                // The EVM keeps a 64th of what there is: so much has to be there for the call to get
                // all of its gas, and to return the answers afterwards.
                let returning := mul(DEPOSIT_GAS, add(sub(answer, answers), ANSWER_BYTES))
                let needed := add(add(div(mul(callGas, 64), 63), returning), OWN_GAS)
                if lt(gas(), needed) { break }
                let target := shr(96, mload(next))
                let size := shr(240, mload(add(next, 20)))
                let data := add(next, 22)
                mstore(add(answer, 1), 0)
                let success := staticcall(callGas, target, data, size, 0, 0)
                let isWord := and(success, eq(returndatasize(), 32))
                if isWord { returndatacopy(add(answer, 1), 0, 32) }
                mstore8(answer, isWord)
                answer := add(answer, ANSWER_BYTES)
                next := add(data, size)
            }
            return(answers, sub(answer, answers))
        }
    }
}
