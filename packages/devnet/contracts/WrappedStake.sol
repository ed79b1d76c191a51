// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ShareToken} from "./ShareToken.sol";

/// A token whose balances grow, as stETH: holders have shares of all that was pooled, and an amount is
/// moved as the shares that it is worth, rounded down, so that a unit of it may stay behind. Written
/// for the devnet; everybody may mint it.
contract StakedToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function balanceOf(address holder) external view returns (uint256) {
        return getPooledEthByShares(sharesOf[holder]);
    }

    function getSharesByPooledEth(uint256 amount) public view returns (uint256) {
        return totalSupply == 0 ? amount : amount * totalShares / totalSupply;
    }

    function getPooledEthByShares(uint256 shares) public view returns (uint256) {
        return totalShares == 0 ? 0 : shares * totalSupply / totalShares;
    }

    // As Lido's pool tells of itself; there is no other ether in it, and no limit.

    function getTotalShares() external view returns (uint256) {
        return totalShares;
    }

    function getTotalPooledEther() external view returns (uint256) {
        return totalSupply;
    }

    function getCurrentStakeLimit() external pure returns (uint256) {
        return type(uint96).max;
    }

    function mint(address to, uint256 amount) external returns (uint256 shares) {
        shares = getSharesByPooledEth(amount);
        totalSupply += amount;
        totalShares += shares;
        sharesOf[to] += shares;
        emit Transfer(address(0), to, amount);
    }

    /// What all holders have earned.
    function earn(uint256 amount) external {
        totalSupply += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        uint256 shares = getSharesByPooledEth(amount);
        sharesOf[from] -= shares;
        sharesOf[to] += shares;
        emit Transfer(from, to, amount);
    }
}

/// The same stake in balances that do not grow, as wstETH: one for each share. Written for the devnet.
contract WrappedStake is ShareToken {
    StakedToken public immutable stETH;

    constructor(string memory name_, string memory symbol_, StakedToken stETH_) {
        name = name_;
        symbol = symbol_;
        stETH = stETH_;
    }

    function getWstETHByStETH(uint256 amount) external view returns (uint256) {
        return stETH.getSharesByPooledEth(amount);
    }

    /// As oracles of pools ask.
    function stEthPerToken() external view returns (uint256) {
        return stETH.getPooledEthByShares(1 ether);
    }

    /// What all holders have earned.
    function earn(uint256 amount) external {
        stETH.earn(amount);
    }

    function getStETHByWstETH(uint256 amount) external view returns (uint256) {
        return stETH.getPooledEthByShares(amount);
    }

    /// Stakes it.
    receive() external payable {
        mintShares(msg.sender, stETH.mint(address(this), msg.value));
    }

    function wrap(uint256 amount) external returns (uint256 shares) {
        require(amount > 0, "wstETH: can't wrap zero stETH");
        shares = stETH.getSharesByPooledEth(amount);
        mintShares(msg.sender, shares);
        stETH.transferFrom(msg.sender, address(this), amount);
    }

    function unwrap(uint256 shares) external returns (uint256 amount) {
        require(shares > 0, "wstETH: zero amount unwrap not allowed");
        amount = stETH.getPooledEthByShares(shares);
        burnShares(msg.sender, shares);
        stETH.transfer(msg.sender, amount);
    }
}
