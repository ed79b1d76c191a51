// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token that keeps its balances where it is told to, and that everybody may mint.
contract LayoutToken {
    // 0: Solidity's mapping in `slot`, 1: Vyper's, 2: Solady's, 3: in another contract.
    uint256 private immutable kind;
    uint256 private immutable slot;
    BalanceStore private immutable store = new BalanceStore();

    constructor(uint256 kind_, uint256 slot_) {
        kind = kind_;
        slot = slot_;
    }

    function balanceOf(address owner) public view returns (uint256 balance_) {
        if (kind == 3) return store.balances(owner);
        bytes32 key = keyOf(owner);
        assembly { balance_ := sload(key) }
    }

    function mint(address to, uint256 amount) external {
        set(to, balanceOf(to) + amount);
    }

    function approve(address, uint256) external pure returns (bool) {
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        set(from, balanceOf(from) - amount);
        set(to, balanceOf(to) + amount);
        return true;
    }

    function set(address owner, uint256 amount) private {
        if (kind == 3) return store.set(owner, amount);
        bytes32 key = keyOf(owner);
        assembly { sstore(key, amount) }
    }

    function keyOf(address owner) private view returns (bytes32) {
        if (kind == 0) return keccak256(abi.encode(owner, slot));
        if (kind == 1) return keccak256(abi.encode(slot, owner));
        return keccak256(abi.encodePacked(owner, uint96(0x87a211a2)));
    }
}

contract BalanceStore {
    uint256[300] private others;
    mapping(address => uint256) public balances;

    function set(address owner, uint256 amount) external {
        balances[owner] = amount;
    }
}

interface Token {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function mint(address to, uint256 amount) external;
}

/// Takes so much of one token, and makes so much of another.
contract Vendor {
    error Bomb();

    function sell(address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut, address to)
        external
        payable
    {
        Token(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        Token(tokenOut).mint(to, amountOut);
    }

    /// Reverts with so many zero bytes.
    function bomb(uint256 size) external pure {
        assembly { revert(0x10000, size) }
    }

    function complain(string calldata words) external pure {
        revert(words);
    }

    function divide(uint256 by) external pure returns (uint256) {
        return 1 / by;
    }

    function origin(address wanted) external view {
        require(tx.origin == wanted && msg.sender == wanted, "another origin");
    }
}

/// What a token says of its permits; it takes none.
contract PermitTeller {
    bytes private nameAnswer;
    bytes private versionAnswer;
    bytes private domainAnswer;
    bytes32 public immutable DOMAIN_SEPARATOR;
    bytes32 public immutable PERMIT_TYPEHASH;

    /// The separator is of name and version as the others are not; no version where it is empty.
    constructor(
        string memory name_,
        string memory version_,
        bytes32 typehash,
        bytes memory nameAnswer_,
        bytes memory versionAnswer_,
        bool tellsDomain
    ) {
        bool hasVersion = bytes(version_).length > 0;
        nameAnswer = nameAnswer_;
        versionAnswer = versionAnswer_;
        if (tellsDomain)
            domainAnswer = abi.encode(bytes1(0x0f), name_, version_, block.chainid, this, bytes32(0), new uint256[](0));
        PERMIT_TYPEHASH = typehash;
        DOMAIN_SEPARATOR = hasVersion
            ? keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                    keccak256(bytes(name_)),
                    keccak256(bytes(version_)),
                    block.chainid,
                    address(this)
                )
            )
            : keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
                    keccak256(bytes(name_)),
                    block.chainid,
                    address(this)
                )
            );
    }

    function nonces(address) external pure returns (uint256) {
        return 7;
    }

    function name() external view {
        say(nameAnswer);
    }

    function version() external view {
        say(versionAnswer);
    }

    function eip712Domain() external view {
        say(domainAnswer);
    }

    /// Nothing to say: reverts. One byte: a megabyte of zeros.
    function say(bytes memory words) private pure {
        require(words.length > 0);
        if (words.length == 1) assembly { return(0x10000, 0x100000) }
        assembly { return(add(words, 32), mload(words)) }
    }
}

/// The gas price oracle of the OP stack, with fees that can be set.
contract DataFeeOracle {
    uint256 private constant LEAST_BYTES = 100;
    uint256 public weiPerByte;
    bool public isOld;

    function set(uint256 weiPerByte_, bool isOld_) external {
        weiPerByte = weiPerByte_;
        isOld = isOld_;
    }

    function getL1FeeUpperBound(uint256 size) external view returns (uint256) {
        require(!isOld, "GasPriceOracle: getL1FeeUpperBound only supports Fjord");
        return feeOf(size);
    }

    /// Zeros cost nothing.
    function getL1Fee(bytes calldata data) external view returns (uint256) {
        uint256 size = 0;
        for (uint256 place = 0; place < data.length; place++) if (data[place] != 0) size++;
        return feeOf(size);
    }

    function feeOf(uint256 size) private view returns (uint256) {
        return (size < LEAST_BYTES ? LEAST_BYTES : size) * weiPerByte;
    }
}
