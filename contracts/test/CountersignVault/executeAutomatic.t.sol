// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {PaymentTest} from "../base/PaymentTest.sol";
import {vm} from "../base/Vm.sol";

contract ExecuteAutomaticTest is PaymentTest {
    using Orders for Order;

    function _pays(Order memory order) internal override {
        _automates(order);
    }

    function _refused(Order memory order, bytes memory err) internal override {
        _automaticReverts(order, err);
    }

    function _data(Order memory order) internal pure override returns (bytes memory) {
        return order.automaticCall();
    }

    function test_executeAutomatic_succeeds_withExactlyTheOrder(
        bytes32 paymentId,
        uint256 amount,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline
    ) external {
        Order memory order = _order();
        order.paymentId = paymentId;
        order.amount = _bound(amount, 1, AUTOMATIC_CAP);
        (order.reportHash, order.expenseVersionHash) = (reportHash, expenseVersionHash);
        order.deadline = uint64(_bound(deadline, NOW, type(uint64).max));
        _checkEffects(order);
    }

    function test_executeAutomatic_succeeds_andSaysSo() external {
        Order memory order = _order();
        vm.expectEmit(address(vault));
        emit IVaultRecords.PaymentExecuted(
            order.paymentId,
            recipient,
            IVaultRecords.Mode.Automatic,
            order.amount,
            1,
            order.reportHash,
            order.expenseVersionHash,
            new bytes32[](0),
            _none(),
            order.amount
        );
        _automates(order);
    }

    function test_executeAutomatic_succeeds_whateverTheApprovalFieldsWouldBe() external {
        vm.prank(owner);
        vault.invalidateApproval(_digest(_order()));
        _automates(_order());
    }

    function test_executeAutomatic_reverts_whenDisabled() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.automaticEnabled = false;
        _configure(config);
        _automaticReverts(_order(), _is(IVaultRecords.AutomaticDisabled.selector));
    }

    function test_executeAutomatic_reverts_whenRepeated() external {
        _automates(_order());
        _automaticReverts(_order(), _executed());
    }

    function test_executeAutomatic_reverts_whenApprovedBefore() external {
        _approves(_order());
        _automaticReverts(_order(), _executed());
    }

    function test_executeAutomatic_reverts_whenRepeatedUnderANewPolicy() external {
        _automates(_order());
        _configure(_config());
        _automaticReverts(_order(), _executed());
    }

    function test_executeAutomatic_reverts_whenRepeatedWithOtherFields() external {
        _automates(_order());
        Order memory order = _order();
        order.amount += 1;
        order.reportHash = keccak256("another report");
        order.expenseVersionHash = keccak256("another expense");
        order.deadline += 1;
        _automaticReverts(order, _executed());
    }

    function test_executeAutomatic_reverts_whenNotTheExecutor(address caller) external {
        _checkCaller(caller);
    }

    function test_executeAutomatic_reverts_whenNotTheExecutorButNamed() external {
        _checkCaller(owner);
        _checkCaller(approver);
        _checkCaller(recipient);
    }

    function test_executeAutomatic_reverts_whenTheVersionIsAnother(uint64 version) external {
        _configure(_config());
        _checkVersion(version);
        _checkVersion(1);
        _checkVersion(3);
    }

    function test_executeAutomatic_reverts_beforeAnyPolicy() external {
        _checkNoPolicy();
    }

    function test_executeAutomatic_reverts_whenPaused() external {
        _checkPaused();
    }

    function test_executeAutomatic_reverts_fromTheMomentThePolicyIsOver(uint256 later) external {
        _checkExpiry(later);
    }

    function test_executeAutomatic_reverts_afterTheDeadline() external {
        _checkDeadline();
    }

    function test_executeAutomatic_reverts_whenNothing() external {
        _checkNothing();
    }

    function test_executeAutomatic_reverts_aboveTheCap(uint256 more) external {
        _checkCap(AUTOMATIC_CAP, more);
    }

    function test_executeAutomatic_reverts_toAnybodyNotListed(address to) external {
        _checkRecipient(to);
    }

    function test_executeAutomatic_reverts_toTheImpossible() external {
        _checkRecipient(address(0));
        _checkRecipient(address(vault));
        _checkRecipient(address(usdc));
        _checkRecipient(approver);
        _checkRecipient(owner);
    }

    function test_executeAutomatic_reverts_toSomebodyTakenOffTheList() external {
        _checkRemovedRecipient();
    }

    function test_executeAutomatic_reverts_toSomebodyNotYetAllowed() external {
        _checkNewRecipient();
    }

    function test_executeAutomatic_reverts_toSomebodyBlocked() external {
        _checkBlockedRecipient();
    }

    function test_executeAutomatic_reverts_toSomebodyWithARole() external {
        _checkRecipientWithARole();
    }

    function test_executeAutomatic_reverts_aboveThePeriodCap() external {
        _checkPeriodCap();
    }

    function test_executeAutomatic_reverts_aboveTheLifetimeCap() external {
        _checkLifetimeCap();
    }

    function test_executeAutomatic_reverts_belowTheReserve() external {
        _checkReserve();
    }

    function test_executeAutomatic_reverts_beyondTheBalance() external {
        _checkEmpty();
    }
}
