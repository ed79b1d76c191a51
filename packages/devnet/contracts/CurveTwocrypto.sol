// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CurveCrypto} from "./CurveCrypto.sol";

/// A crypto pool with the interface of Twocrypto-NG.
contract CurveTwocrypto is CurveCrypto {
    event AddLiquidity(
        address indexed provider,
        uint256[2] token_amounts,
        uint256 fee,
        uint256 token_supply,
        uint256 packed_price_scale
    );
    event RemoveLiquidity(address indexed provider, uint256[2] token_amounts, uint256 token_supply);

    function precisions() external view returns (uint256[2] memory) {
        return [precisionOf[0], precisionOf[1]];
    }

    function price_scale() external view returns (uint256) {
        return scales[0];
    }

    function fee_calc(uint256[2] calldata xp) external view returns (uint256) {
        uint256[] memory x = new uint256[](2);
        (x[0], x[1]) = (xp[0], xp[1]);
        return feeOf(x);
    }

    function add_liquidity(uint256[2] calldata amounts, uint256 min_mint_amount)
        external
        nonReentrant
        returns (uint256 minted)
    {
        uint256[] memory list = new uint256[](2);
        (list[0], list[1]) = (amounts[0], amounts[1]);
        uint256 charged;
        (minted, charged) = add(list);
        require(minted >= min_mint_amount, "Slippage");
        emit AddLiquidity(msg.sender, amounts, charged, totalSupply, packedScales());
    }

    function remove_liquidity(uint256 amount, uint256[2] calldata) external nonReentrant {
        uint256[] memory amounts = remove(amount);
        emit RemoveLiquidity(msg.sender, [amounts[0], amounts[1]], totalSupply);
    }
}
