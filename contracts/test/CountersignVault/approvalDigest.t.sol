// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract ApprovalDigestTest is VaultTest {
    function test_approvalDigest_succeeds_asTheStandardSays(Order memory order) external view {
        vm.assertEq(_ask(order), _digest(order), "digest");
    }

    function test_approvalDigest_succeeds_onAnotherChain(uint64 chain) external {
        vm.chainId(_bound(chain, 1, type(uint64).max));
        vm.assertEq(_ask(_order()), _digest(_order()), "digest");
    }

    function _ask(Order memory order) private view returns (bytes32) {
        return vault.approvalDigest(
            order.approvalId,
            order.approver,
            order.paymentId,
            order.recipient,
            order.amount,
            order.version,
            order.reportHash,
            order.expenseVersionHash,
            order.deadline
        );
    }
}
