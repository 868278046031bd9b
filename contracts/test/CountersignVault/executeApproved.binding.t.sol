// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Domain, Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {TestUSDC} from "../mocks/TestUSDC.sol";
import {VaultTest} from "../base/VaultTest.sol";

/// @notice What a signature binds: eleven fields, the vault and the chain.
contract ExecuteApprovedBindingTest is VaultTest {
    using Orders for Order;

    /// @dev Signs one order, changes a single field, and the signature is worth nothing.
    function test_executeApproved_reverts_whenPaymentIdIsAnother() external {
        Order memory order = _order();
        order.paymentId = _next(order.paymentId);
        _tampered(order);
    }

    function test_executeApproved_reverts_whenRecipientIsAnother() external {
        _listAlso(address(uint160(recipient) + 1));
        Order memory order = _order();
        order.recipient = address(uint160(recipient) + 1);
        _tampered(order);
    }

    function test_executeApproved_reverts_whenAmountIsAnother() external {
        Order memory order = _order();
        order.amount += 1;
        _tampered(order);
        order.amount -= 2;
        _tampered(order);
    }

    function test_executeApproved_reverts_whenPolicyVersionIsAnother() external {
        bytes memory signature = _signed(_order());
        _configure(_config());
        Order memory order = _order();
        vm.assertEq(order.version, 2, "version");
        _worthless(order, signature);
    }

    function test_executeApproved_reverts_whenReportHashIsAnother() external {
        Order memory order = _order();
        order.reportHash = _next(order.reportHash);
        _tampered(order);
    }

    function test_executeApproved_reverts_whenExpenseVersionHashIsAnother() external {
        Order memory order = _order();
        order.expenseVersionHash = _next(order.expenseVersionHash);
        _tampered(order);
    }

    function test_executeApproved_reverts_whenDeadlineIsAnother() external {
        Order memory order = _order();
        order.deadline += 1;
        _tampered(order);
        order.deadline -= 2;
        _tampered(order);
    }

    function test_executeApproved_reverts_whenApprovalIdIsAnother() external {
        Order memory order = _order();
        order.approvalId = _next(order.approvalId);
        _tampered(order);
    }

    /// @dev The approver signed, but what was signed names the second approver.
    function test_executeApproved_reverts_whenApproverIsAnother() external {
        Order memory order = _order();
        order.approver = second;
        _tampered(order);
        bytes32 ofSecond = _digest(order);
        _worthless(_order(), _sign(approverKey, ofSecond));
    }

    function test_executeApproved_reverts_whenTheTokenIsAnother() external {
        _worthlessIn(
            Domain(block.chainid, address(vault), address(uint160(address(usdc)) + 1), ORGANIZATION)
        );
        bytes memory signature = _signed(_order());
        IERC20 other = IERC20(_create(vm.getCode("TestUSDC.sol:TestUSDC")));
        _elsewhere(_newVault(owner, other, ORGANIZATION), signature);
    }

    function test_executeApproved_reverts_whenTheOrganizationIsAnother() external {
        _worthlessIn(
            Domain(block.chainid, address(vault), address(usdc), _next(ORGANIZATION))
        );
        bytes memory signature = _signed(_order());
        _elsewhere(_newVault(owner, IERC20(address(usdc)), _next(ORGANIZATION)), signature);
    }

    function test_executeApproved_reverts_whenTheVaultIsAnother() external {
        _worthlessIn(
            Domain(block.chainid, address(uint160(address(vault)) + 1), address(usdc), ORGANIZATION)
        );
        bytes memory signature = _signed(_order());
        _elsewhere(_newVault(owner, IERC20(address(usdc)), ORGANIZATION), signature);
    }

    function test_executeApproved_reverts_whenTheChainIsAnother() external {
        _worthlessIn(
            Domain(block.chainid + 1, address(vault), address(usdc), ORGANIZATION)
        );
        bytes memory signature = _signed(_order());
        vm.chainId(block.chainid + 1);
        _worthless(_order(), signature);
        _approves(_order());
    }

    function test_executeApproved_reverts_whenAnyFieldIsAnother(Order memory given) external {
        Order memory order = _order();
        bytes memory signature = _signed(order);
        order.paymentId = given.paymentId;
        order.amount = given.amount;
        order.reportHash = given.reportHash;
        order.expenseVersionHash = given.expenseVersionHash;
        order.deadline = given.deadline;
        order.approvalId = given.approvalId;
        _worthless(order, signature);
    }

    /// @dev What was signed is `_order()`, what is sent is `order`.
    function _tampered(Order memory order) private {
        _worthless(order, _signed(_order()));
    }

    function _worthlessIn(Domain memory domain) private {
        _worthless(_order(), _sign(approverKey, _order().digest(domain)));
    }

    function _worthless(Order memory order, bytes memory signature) private {
        _reverts(
            executor,
            order.approvedCall(signature),
            abi.encodeWithSelector(
                IVaultRecords.InvalidSignature.selector, _digest(order), order.approver
            )
        );
    }

    /// @dev Another vault with the same policy and money takes its own signatures, not this one.
    function _elsewhere(ICountersignVault other, bytes memory signature) private {
        vault = other;
        TestUSDC(address(other.token())).mint(address(other), FUNDS);
        _configure(_config());
        _worthless(_order(), signature);
        _approves(_order());
    }

    function _listAlso(address entry) private {
        _changeRecipients(_list(entry), _none());
    }

    function _next(bytes32 value) private pure returns (bytes32) {
        return bytes32(uint256(value) + 1);
    }
}
