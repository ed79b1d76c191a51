// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token that everybody may mint, and make behave as bad tokens do.
contract FixtureToken {
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;

    uint256 public taxBps;
    /// 0: returns true, 1: nothing, and lets nobody change what is allowed but to or from nothing, 2:
    /// false having moved all, 3: false having moved nothing.
    uint256 public answer;
    /// Called before each transfer, when set, and what became of it.
    address public hookTarget;
    bytes public hookData;
    bytes[] public hookAnswers;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function setTax(uint256 bps) external {
        taxBps = bps;
    }

    function setAnswer(uint256 answer_) external {
        answer = answer_;
    }

    function setHook(address target, bytes calldata data) external {
        hookTarget = target;
        hookData = data;
        delete hookAnswers;
    }

    function hookCount() external view returns (uint256) {
        return hookAnswers.length;
    }

    function approve(address spender, uint256 amount) external {
        require(answer != 1 || amount == 0 || allowance[msg.sender][spender] == 0, "from non-zero");
        if (answer != 3) allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        say();
    }

    function transfer(address to, uint256 amount) external {
        move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        move(from, to, amount);
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        bytes32 typeHash = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        return keccak256(abi.encode(typeHash, keccak256("Fixture"), keccak256("1"), block.chainid, address(this)));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        bytes32 typeHash = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 terms = keccak256(abi.encode(typeHash, owner, spender, value, nonces[owner]++, deadline));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), terms));
        address signer = ecrecover(digest, v, r, s);
        require(block.timestamp <= deadline && signer != address(0) && signer == owner, "bad permit");
        allowance[owner][spender] = value;
    }

    /// Ends the call itself, with what the token answers.
    function move(address from, address to, uint256 amount) private {
        if (hookTarget != address(0)) {
            (bool succeeded, bytes memory said) = hookTarget.call(hookData);
            hookAnswers.push(abi.encode(succeeded, said));
        }
        if (answer != 3) {
            uint256 tax = amount * taxBps / 10_000;
            balanceOf[from] -= amount;
            balanceOf[to] += amount - tax;
            totalSupply -= tax;
            emit Transfer(from, to, amount - tax);
        }
        say();
    }

    function say() private view {
        uint256 size = answer == 1 ? 0 : 32;
        uint256 said_ = answer == 0 ? 1 : 0;
        assembly {
            mstore(0, said_)
            return(0, size)
        }
    }
}
