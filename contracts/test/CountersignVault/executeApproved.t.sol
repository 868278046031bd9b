// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {PaymentTest} from "../base/PaymentTest.sol";
import {vm} from "../base/Vm.sol";

contract ExecuteApprovedTest is PaymentTest {
    using Orders for Order;

    function _pays(Order memory order) internal override {
        _approves(order);
    }

    function _refused(Order memory order, bytes memory err) internal override {
        _approvedReverts(order, err);
    }

    function _data(Order memory order) internal view override returns (bytes memory) {
        return order.approvedCall(_signed(order));
    }

    function test_executeApproved_succeeds_withExactlyTheOrder(
        bytes32 paymentId,
        uint256 amount,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline,
        bytes32 approvalId
    ) external {
        Order memory order = _order();
        order.paymentId = paymentId;
        order.amount = _bound(amount, 1, APPROVED_CAP);
        (order.reportHash, order.expenseVersionHash) = (reportHash, expenseVersionHash);
        order.deadline = uint64(_bound(deadline, NOW, type(uint64).max));
        order.approvalId = approvalId;
        _checkEffects(order);
    }

    function test_executeApproved_succeeds_andSaysSo() external {
        _automates(_order());
        Order memory order = _order();
        order.paymentId = keccak256("another payment");
        order.amount = 7e6;
        vm.expectEmit(address(vault));
        emit IVaultRecords.PaymentExecuted(
            order.paymentId,
            recipient,
            IVaultRecords.Mode.Approved,
            7e6,
            1,
            order.reportHash,
            order.expenseVersionHash,
            _one(_digest(order)),
            _list(approver),
            107e6
        );
        _approves(order);
    }

    function test_executeApproved_succeeds_forEitherApprover() external {
        Order memory order = _order();
        order.approver = second;
        _succeeds(executor, order.approvedCall(_sign(secondKey, _digest(order))));
    }

    function test_executeApproved_succeeds_whenAutomaticIsDisabled() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.automaticEnabled = false;
        _configure(config);
        _approves(_order());
    }

    function test_executeApproved_succeeds_whateverStrangersDoBefore() external {
        Order memory order = _order();
        bytes32 digest = _digest(order);
        bytes memory data = order.approvedCall(_signed(order));
        usdc.mint(stranger, 10);
        vm.prank(stranger);
        vault.invalidateApproval(digest);
        (bool paused,) = _call(stranger, abi.encodeCall(ICountersignVault.emergencyPause, ()));
        vm.assertFalse(paused, "a stranger paused");
        (bool paid,) = _call(stranger, data);
        vm.assertFalse(paid, "a stranger paid");
        vm.prank(stranger);
        usdc.approve(address(vault), 4);
        _succeeds(stranger, abi.encodeCall(ICountersignVault.deposit, (4)));
        vm.prank(stranger);
        usdc.transfer(address(vault), 3);
        vm.prank(stranger);
        usdc.transfer(recipient, 3);
        _succeeds(executor, data);
        vm.assertEq(usdc.balanceOf(recipient), order.amount + 3, "recipient");
    }

    function test_executeApproved_reverts_whenTheApproverIsNotListed(address by) external {
        // Nobody precedes the zero address, which is out of order as the first already.
        vm.assume(by != approver && by != second && by != address(0));
        Order memory order = _order();
        order.approver = by;
        _refused(order, _unlisted(by, 1));
    }

    function test_executeApproved_reverts_whenSomebodyElseSignsForThemselves() external {
        Order memory order = _order();
        order.approver = stranger;
        _reverts(
            executor,
            order.approvedCall(_sign(uint256(keccak256("stranger")), _digest(order))),
            _unlisted(stranger, 1)
        );
    }

    function test_executeApproved_reverts_whenTheApproverWasTakenOffTheList() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(second);
        _configure(config);
        _refused(_order(), _unlisted(approver, 2));
    }

    function test_executeApproved_reverts_whenApprovedUnderThePolicyBefore() external {
        Order memory order = _order();
        bytes memory signature = _signed(order);
        _configure(_config());
        _reverts(
            executor,
            order.approvedCall(signature),
            abi.encodeWithSelector(IVaultRecords.VersionMismatch.selector, 1, 2)
        );
        order.version = 2;
        _reverts(
            executor,
            order.approvedCall(signature),
            abi.encodeWithSelector(
                IVaultRecords.InvalidSignature.selector, _digest(order), approver
            )
        );
    }

    function test_executeApproved_reverts_whenRepeated() external {
        _approves(_order());
        _refused(_order(), _executed());
    }

    function test_executeApproved_reverts_whenAutomaticBefore() external {
        _automates(_order());
        _refused(_order(), _executed());
    }

    function test_executeApproved_reverts_whenRepeatedUnderANewPolicy() external {
        _approves(_order());
        _configure(_config());
        _refused(_order(), _executed());
    }

    function test_executeApproved_reverts_whenRepeatedByAnotherApprover() external {
        _approves(_order());
        Order memory order = _order();
        order.approver = second;
        _reverts(executor, order.approvedCall(_sign(secondKey, _digest(order))), _executed());
    }

    function test_executeApproved_reverts_whenRepeatedWithANewApproval() external {
        _approves(_order());
        Order memory order = _order();
        order.approvalId = keccak256("another approval");
        order.amount += 1;
        _refused(order, _executed());
    }

    function test_executeApproved_reverts_whenNotTheExecutor(address caller) external {
        _checkCaller(caller);
    }

    function test_executeApproved_reverts_whenNotTheExecutorButNamed() external {
        _checkCaller(owner);
        _checkCaller(approver);
        _checkCaller(recipient);
    }

    function test_executeApproved_reverts_whenTheVersionIsAnother(uint64 version) external {
        _configure(_config());
        _checkVersion(version);
        _checkVersion(1);
        _checkVersion(3);
    }

    function test_executeApproved_reverts_beforeAnyPolicy() external {
        _checkNoPolicy();
    }

    function test_executeApproved_reverts_whenPaused() external {
        _checkPaused();
    }

    function test_executeApproved_reverts_fromTheMomentThePolicyIsOver(uint256 later) external {
        _checkExpiry(later);
    }

    function test_executeApproved_reverts_afterTheDeadline() external {
        _checkDeadline();
    }

    function test_executeApproved_reverts_whenNothing() external {
        _checkNothing();
    }

    function test_executeApproved_reverts_aboveTheCap(uint256 more) external {
        _checkCap(APPROVED_CAP, more);
    }

    function test_executeApproved_reverts_toAnybodyNotListed(address to) external {
        _checkRecipient(to);
    }

    function test_executeApproved_reverts_toTheImpossible() external {
        _checkRecipient(address(0));
        _checkRecipient(address(vault));
        _checkRecipient(address(usdc));
        _checkRecipient(approver);
        _checkRecipient(owner);
    }

    function test_executeApproved_reverts_toSomebodyTakenOffTheList() external {
        _checkRemovedRecipient();
    }

    function test_executeApproved_reverts_toSomebodyNotYetAllowed() external {
        _checkNewRecipient();
    }

    function test_executeApproved_reverts_toSomebodyBlocked() external {
        _checkBlockedRecipient();
    }

    function test_executeApproved_reverts_toSomebodyWithARole() external {
        _checkRecipientWithARole();
    }

    function test_executeApproved_reverts_aboveThePeriodCap() external {
        _checkPeriodCap();
    }

    function test_executeApproved_reverts_aboveTheLifetimeCap() external {
        _checkLifetimeCap();
    }

    function test_executeApproved_reverts_belowTheReserve() external {
        _checkReserve();
    }

    function test_executeApproved_reverts_beyondTheBalance() external {
        _checkEmpty();
    }

    function _one(bytes32 digest) private pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = digest;
    }

    function _unlisted(address by, uint64 version) private pure returns (bytes memory) {
        return
            abi.encodeWithSelector(IVaultRecords.ApproverNotAllowed.selector, by, version);
    }
}
