// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Asks contracts for many words each, in one call of a node that creates this contract and never
/// deploys it, and answers those that are not 0. Each call is static, with all of the gas that was
/// promised to it or not at all, and nothing of what it returns is copied but a word.
///
/// Behind the creation code stand the ranges (target, 20 bytes; how often it is called, 4; length of
/// the data, 2; the data, whose last word counts up by one a call), one after the other, then the
/// gas of each call and the length of all of these together (4 bytes each). What would be the
/// contract's code are the number of calls that were made, over all ranges (4 bytes), then, in their
/// order, for each word that is not 0 the call's place among all (4 bytes), and the word. A call
/// that reverts, or returns something else than a word, ends its range: its place has the highest
/// bit set, the word is 0, and what is left of the range counts as made. Calls for which there was
/// not gas or room enough are left out at the end.
contract WordRanges {
    /// What storing an answer as code costs, by byte.
    uint256 private constant DEPOSIT_GAS = 200;
    uint256 private constant ENTRY_BYTES = 36;
    /// What is left of a contract's largest code (EIP-170) for entries.
    uint256 private constant ENTRIES_BYTES_MAX = 24_572;
    /// For one round of the loop, a cold account and growing memory included, and for the end.
    uint256 private constant OWN_GAS = 20_000;

    constructor() {
        assembly ("memory-safe") {
            let ranges := mload(0x40)
            codecopy(ranges, sub(codesize(), 8), 8)
            let callGas := shr(224, mload(ranges))
            let length := shr(224, mload(add(ranges, 4)))
            codecopy(ranges, sub(codesize(), add(length, 8)), length)
            let end := add(ranges, length)
            // Words are read past the end of the data, and written behind those.
            let answers := add(end, 64)
            let entry := add(answers, 4)
            let made := 0
            let isFull := 0
            for { let range := ranges } and(lt(range, end), iszero(isFull)) {} {
                let target := shr(96, mload(range))
                let size := shr(240, mload(add(range, 24)))
                let data := add(range, 26)
                let last := add(data, sub(size, 32))
                let rangeEnd := add(made, shr(224, mload(add(range, 20))))
                range := add(data, size)
                for {} lt(made, rangeEnd) {} {
                    // The EVM keeps a 64th of what there is: so much has to be there for the call to
                    // get all of its gas, and to return the answers afterwards.
                    let used := sub(entry, answers)
                    let returning := mul(DEPOSIT_GAS, add(used, ENTRY_BYTES))
                    let needed := add(add(div(mul(callGas, 64), 63), returning), OWN_GAS)
                    isFull := or(lt(gas(), needed), gt(used, sub(ENTRIES_BYTES_MAX, ENTRY_BYTES)))
                    if isFull { break }
                    let success := staticcall(callGas, target, data, size, 0, 32)
                    if iszero(and(success, eq(returndatasize(), 32))) {
                        mstore(entry, shl(224, or(made, 0x80000000)))
                        mstore(add(entry, 4), 0)
                        entry := add(entry, ENTRY_BYTES)
                        made := rangeEnd
                        break
                    }
                    if mload(0) {
                        mstore(entry, shl(224, made))
                        mstore(add(entry, 4), mload(0))
                        entry := add(entry, ENTRY_BYTES)
                    }
                    made := add(made, 1)
                    mstore(last, add(mload(last), 1))
                }
            }
            // Its last 4 bytes stand where the answers begin, the others in the space before.
            mstore(sub(answers, 28), made)
            return(answers, sub(entry, answers))
        }
    }
}
