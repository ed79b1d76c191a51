// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token that does to who swaps it what such tokens do. Anybody may mint. What its owner sends and
/// gets is moved as it should be, which is how liquidity comes into its pools.
contract HostileToken {
    enum Kind {
        Plain, // as others
        Taxed, // TAX_BPS of each transfer are gone
        TaxedOnSale, // TAX_BPS of what a pool gets are gone
        Honeypot, // can be bought, and not sold: no pool gets any
        Unbuyable, // no pool's transfer succeeds
        Rebasing, // all balances shrink by SHRINKING_PPM in each block
        NoReturn, // returns nothing: USDT
        FalseOnFailure, // returns false where others revert
        ResetAllowance, // an allowance must be zero before it is set: USDT
        Reentering // calls who called it before it moves anything
    }

    uint256 public constant TAX_BPS = 500;
    uint256 public constant SHRINKING_PPM = 1;
    uint256 private constant ONE = 1e18;
    uint256 private constant LEAST = ONE / 10;

    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    address public immutable owner;
    Kind public kind;
    /// The block since which balances shrink.
    uint256 public kindSince;
    mapping(address => bool) public isPool;
    mapping(address => mapping(address => uint256)) public allowance;
    /// A balance is its shares × scale() / ONE.
    mapping(address => uint256) private shares;
    uint256 private totalShares;
    /// What a caller is called with by Reentering, and how often that went through.
    bytes public reentry;
    uint256 public reentries;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed holder, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_, Kind kind_) {
        owner = msg.sender;
        name = name_;
        symbol = symbol_;
        kind = kind_;
        kindSince = block.number;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function setKind(Kind kind_) external onlyOwner {
        kind = kind_;
        kindSince = block.number;
    }

    function setPools(address[] calldata pools) external onlyOwner {
        for (uint256 index = 0; index < pools.length; index++) isPool[pools[index]] = true;
    }

    function setReentry(bytes calldata reentry_) external onlyOwner {
        reentry = reentry_;
    }

    function mint(address to, uint256 value) external {
        uint256 minted = value * ONE / scale();
        totalShares += minted;
        shares[to] += minted;
        emit Transfer(address(0), to, value);
    }

    function balanceOf(address holder) public view returns (uint256) {
        return shares[holder] * scale() / ONE;
    }

    function totalSupply() external view returns (uint256) {
        return totalShares * scale() / ONE;
    }

    function scale() public view returns (uint256) {
        if (kind != Kind.Rebasing) return ONE;
        uint256 gone = (block.number - kindSince) * (ONE / 1e6) * SHRINKING_PPM;
        return gone < ONE - LEAST ? ONE - gone : LEAST;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        if (kind == Kind.ResetAllowance)
            require(value == 0 || allowance[msg.sender][spender] == 0, "reset it to zero first");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return answer(true);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return answer(move(msg.sender, to, value));
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < value && kind == Kind.FalseOnFailure) return false;
        require(allowed >= value, "not allowed");
        if (!move(from, to, value)) return false;
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        return answer(true);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        if (balanceOf(from) < value && kind == Kind.FalseOnFailure) return false;
        require(balanceOf(from) >= value, "too little");
        if (kind == Kind.Reentering) reenter();
        uint256 lost = from == owner || to == owner ? 0 : lossOf(from, to, value);
        // Up, as pools count on no less arriving than was sent; who has the balance has the shares.
        uint256 moved = (value * ONE + scale() - 1) / scale();
        uint256 burnt = lost * ONE / scale();
        shares[from] -= moved;
        shares[to] += moved - burnt;
        totalShares -= burnt;
        emit Transfer(from, to, value - lost);
        return true;
    }

    /// What does not arrive of a transfer; reverts where there is none.
    function lossOf(address from, address to, uint256 value) private view returns (uint256) {
        require(kind != Kind.Honeypot || !isPool[to], "not for sale");
        require(kind != Kind.Unbuyable || !isPool[from], "not to be had");
        bool taxed = kind == Kind.Taxed || (kind == Kind.TaxedOnSale && isPool[to]);
        return taxed ? value * TAX_BPS / 10_000 : 0;
    }

    function reenter() private {
        if (msg.sender.code.length == 0) return;
        (bool went, ) = msg.sender.call(reentry);
        if (went) reentries++;
    }

    function answer(bool said) private view returns (bool) {
        if (kind == Kind.NoReturn)
            assembly {
                return(0, 0)
            }
        return said;
    }
}
