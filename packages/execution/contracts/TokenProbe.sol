// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IExecutor {
    struct Path {
        uint256 amount;
        bytes legs;
    }

    struct Order {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint256 amountOutMin;
        address recipient;
        uint256 fee;
        uint256 deadline;
        bool nativeOut;
    }

    function swapExactInput(Order calldata order, Path[] calldata paths) external payable returns (uint256 amountOut);
}

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
}

/// Buys a token with the native one and sells all of it again, in a call that changes nothing, by
/// code that a node puts somewhere for the time of that call. It is never deployed.
///
/// Everything that the token does is its own word: calls get a part of the gas only, and what they
/// return is never copied beyond a bound.
contract TokenProbe {
    struct Sale {
        /// One pool; its amounts are filled in here.
        IExecutor.Order order;
        IExecutor.Path[] paths;
        address pool;
    }

    struct Answer {
        /// What the pool had of the token at first; the maximum where the token does not tell.
        uint256 held;
        /// What it lost by the purchase, and what came of that: both 0 when there was none.
        uint256 paidOut;
        uint256 bought;
        bytes purchaseError;
        /// Which of the sales went through; their count where none did.
        uint256 sale;
        bytes firstSaleError;
        /// What was gone here, what the pool had more, and what it gave.
        uint256 sent;
        uint256 arrived;
        uint256 output;
    }

    uint256 private constant UNTOLD = type(uint256).max;
    uint256 private constant ERROR_BYTES_MAX = 256;
    uint256 private constant BALANCE_GAS_PART = 32;
    uint256 private constant SWAP_GAS_PART = 4;

    receive() external payable {}

    /// `pool` is the last of the purchase's legs. Sales are tried in turn, until one goes through.
    function buyAndSell(
        address executor,
        address token,
        address pool,
        IExecutor.Order calldata order,
        IExecutor.Path[] calldata paths,
        Sale[] memory sales
    ) external returns (Answer memory answer) {
        answer.held = balanceOf(token, pool);
        answer.sale = sales.length;
        uint256 own = balanceOf(token, address(this));
        bytes memory purchase = abi.encodeCall(IExecutor.swapExactInput, (order, paths));
        if (!execute(executor, order.amountIn, purchase, SWAP_GAS_PART)) {
            answer.purchaseError = returned();
            return answer;
        }
        answer.paidOut = less(answer.held, balanceOf(token, pool));
        answer.bought = less(balanceOf(token, address(this)), own);
        if (answer.bought == 0) return answer;
        execute(token, 0, abi.encodeCall(IToken.approve, (executor, answer.bought)), SWAP_GAS_PART);
        for (uint256 index; index < sales.length; index++) {
            if (sell(executor, token, sales[index], answer)) {
                answer.sale = index;
                return answer;
            }
            if (index == 0) answer.firstSaleError = returned();
        }
    }

    function sell(address executor, address token, Sale memory sale, Answer memory answer) private returns (bool) {
        sale.order.amountIn = answer.bought;
        sale.paths[0].amount = answer.bought;
        uint256 own = balanceOf(token, address(this));
        uint256 held = balanceOf(token, sale.pool);
        uint256 output = balanceOf(sale.order.tokenOut, address(this));
        bytes memory data = abi.encodeCall(IExecutor.swapExactInput, (sale.order, sale.paths));
        if (!execute(executor, 0, data, SWAP_GAS_PART)) return false;
        answer.sent = less(own, balanceOf(token, address(this)));
        answer.arrived = less(balanceOf(token, sale.pool), held);
        answer.output = less(balanceOf(sale.order.tokenOut, address(this)), output);
        return true;
    }

    function less(uint256 larger, uint256 smaller) private pure returns (uint256) {
        return larger > smaller ? larger - smaller : 0;
    }

    function execute(address to, uint256 value, bytes memory data, uint256 part) private returns (bool done) {
        uint256 allowed = gasleft() / part;
        assembly ("memory-safe") {
            done := call(allowed, to, value, add(data, 32), mload(data), 0, 0)
        }
    }

    function returned() private pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, ERROR_BYTES_MAX) { size := ERROR_BYTES_MAX }
            data := mload(0x40)
            mstore(data, size)
            returndatacopy(add(data, 32), 0, size)
            mstore(0x40, add(add(data, 32), and(add(size, 31), not(31))))
        }
    }

    function balanceOf(address token, address holder) private view returns (uint256 held) {
        bytes memory data = abi.encodeCall(IToken.balanceOf, (holder));
        held = UNTOLD;
        uint256 allowed = gasleft() / BALANCE_GAS_PART;
        assembly ("memory-safe") {
            if staticcall(allowed, token, add(data, 32), mload(data), 0, 32) {
                if gt(returndatasize(), 31) { held := mload(0) }
            }
        }
    }
}
