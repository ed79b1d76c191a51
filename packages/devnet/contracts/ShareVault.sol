// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ShareToken} from "./ShareToken.sol";

interface IAsset {
    function balanceOf(address holder) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// A vault of ERC-4626, with the rounding of OpenZeppelin's: a unit of assets and one of shares are
/// always thought to be there, and nobody ever gets more for that. Written for the devnet. What it
/// earns is what is sent to it.
contract ShareVault is ShareToken {
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max);

    IAsset public immutable asset;
    /// Of all that may be deposited.
    uint256 public assetsMax = type(uint256).max;

    constructor(string memory name_, string memory symbol_, IAsset asset_) {
        name = name_;
        symbol = symbol_;
        asset = asset_;
    }

    function setAssetsMax(uint256 assetsMax_) external {
        assetsMax = assetsMax_;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets * (totalSupply + 1) / (totalAssets() + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * (totalAssets() + 1) / (totalSupply + 1);
    }

    function maxDeposit(address) public view returns (uint256) {
        uint256 assets = totalAssets();
        return assets < assetsMax ? assetsMax - assets : 0;
    }

    function maxRedeem(address owner) external view returns (uint256) {
        return balanceOf[owner];
    }

    function previewDeposit(uint256 assets) external view returns (uint256) {
        return convertToShares(assets);
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        return convertToAssets(shares);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        uint256 most = maxDeposit(receiver);
        if (assets > most) revert ERC4626ExceededMaxDeposit(receiver, assets, most);
        shares = convertToShares(assets);
        asset.transferFrom(msg.sender, address(this), assets);
        mintShares(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        if (msg.sender != owner) spend(owner, shares);
        assets = convertToAssets(shares);
        burnShares(owner, shares);
        asset.transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, owner, assets, shares);
    }
}
