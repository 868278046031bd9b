// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";
import {ContractWallet} from "../mocks/Wallets.sol";

/// @notice Payments that several approvers must sign.
contract ExecuteApprovedSeveralTest is VaultTest {
    using Orders for Order;

    uint256 private constant SIGNERS = 9;
    uint128 private constant TWO_ABOVE = 1_000e6;
    uint128 private constant FOUR_ABOVE = 2_000e6;
    uint128 private constant EIGHT_ABOVE = 3_000e6;

    /// @dev Ascending by address.
    uint256[] private keys;

    function setUp() public override {
        super.setUp();
        for (uint256 i = 0; i < SIGNERS; ++i) _insert(uint256(keccak256(abi.encode("signer", i))));
        _configure(_config());
    }

    function _config()
        internal
        view
        override
        returns (IVaultRecords.PolicyConfig memory config)
    {
        config = super._config();
        if (keys.length < SIGNERS) return config;
        config.approvers = new address[](SIGNERS);
        for (uint256 i = 0; i < SIGNERS; ++i) config.approvers[i] = vm.addr(keys[i]);
        config.tiers = new IVaultRecords.ApprovalTier[](3);
        config.tiers[0] = IVaultRecords.ApprovalTier(TWO_ABOVE, 2);
        config.tiers[1] = IVaultRecords.ApprovalTier(FOUR_ABOVE, 4);
        config.tiers[2] = IVaultRecords.ApprovalTier(EIGHT_ABOVE, 8);
    }

    function test_executeApproved_succeeds_withExactlyAsManyAsTheAmountNeeds() external {
        _needs(TWO_ABOVE, 1);
        _needs(TWO_ABOVE + 1, 2);
        _needs(FOUR_ABOVE, 2);
        _needs(FOUR_ABOVE + 1, 4);
        _needs(EIGHT_ABOVE, 4);
        _needs(EIGHT_ABOVE + 1, 8);
    }

    function test_executeApproved_reverts_withMoreOrFewerThanTheAmountNeeds(
        uint256 amount,
        uint256 count
    ) external {
        amount = _bound(amount, 1, EIGHT_ABOVE * 2);
        count = _bound(count, 0, SIGNERS);
        Order memory order = _order();
        order.amount = amount;
        uint256 required = amount > EIGHT_ABOVE
            ? 8
            : amount > FOUR_ABOVE ? 4 : amount > TWO_ABOVE ? 2 : 1;
        bytes memory data = order.approvedCall(_approvals(order, count));
        if (count == required) _succeeds(executor, data);
        else _reverts(executor, data, _count(count, required));
    }

    function test_executeApproved_succeeds_forAnyOfTheApprovers(uint256 leaveOut) external {
        leaveOut = _bound(leaveOut, 0, SIGNERS - 1);
        Order memory order = _large(EIGHT_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = new IVaultRecords.Approval[](8);
        for (uint256 i = 0; i < 8; ++i) {
            approvals[i] = _approval(order, i < leaveOut ? i : i + 1);
        }
        _succeeds(executor, order.approvedCall(approvals));
    }

    function test_executeApproved_succeeds_andSaysEverySigner() external {
        Order memory order = _large(FOUR_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 4);
        bytes32[] memory digests = new bytes32[](4);
        address[] memory approvers = new address[](4);
        for (uint256 i = 0; i < 4; ++i) {
            digests[i] = _digestOf(order, approvals[i]);
            approvers[i] = approvals[i].approver;
        }
        vm.expectEmit(address(vault));
        emit IVaultRecords.PaymentExecuted(
            order.paymentId,
            recipient,
            IVaultRecords.Mode.Approved,
            order.amount,
            2,
            order.reportHash,
            order.expenseVersionHash,
            digests,
            approvers,
            order.amount
        );
        _succeeds(executor, order.approvedCall(approvals));
    }

    function test_executeApproved_succeeds_withAContractAmongThem() external {
        ContractWallet wallet = new ContractWallet();
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers[8] = address(wallet);
        _configure(config);
        Order memory order = _large(TWO_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 2);
        IVaultRecords.Approval memory one = approvals[0];
        one.approver = address(wallet);
        one.signature = "agreed";
        wallet.accept(_digestOf(order, one), one.signature);
        if (address(wallet) > approvals[1].approver) {
            (approvals[0], approvals[1]) = (approvals[1], one);
        }
        _succeeds(executor, order.approvedCall(approvals));
    }

    function test_executeApproved_reverts_whenOneApproverCountsTwice() external {
        Order memory order = _large(TWO_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 2);
        approvals[1] = approvals[0];
        _reverts(executor, order.approvedCall(approvals), _notAscending(approvals[1].approver));
        // Two different approvals of one approver are one approver still.
        approvals[1] = _approval(order, 0);
        approvals[1].approvalId = keccak256("another approval");
        approvals[1].signature = _sign(keys[0], _digestOf(order, approvals[1]));
        _reverts(executor, order.approvedCall(approvals), _notAscending(approvals[1].approver));
    }

    function test_executeApproved_reverts_whenApproversAreNotAscending() external {
        Order memory order = _large(FOUR_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 4);
        (approvals[2], approvals[3]) = (approvals[3], approvals[2]);
        _reverts(executor, order.approvedCall(approvals), _notAscending(approvals[3].approver));
    }

    function test_executeApproved_reverts_whenAnApproverIsNobody() external {
        Order memory order = _large(TWO_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 2);
        approvals[0].approver = address(0);
        _reverts(executor, order.approvedCall(approvals), _notAscending(address(0)));
    }

    /// @dev Every single one is checked, wherever it stands.
    function test_executeApproved_reverts_whenAnySignatureIsWrong(uint256 which) external {
        which = _bound(which, 0, 7);
        Order memory order = _large(EIGHT_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 8);
        approvals[which].signature = _sign(keys[8], _digestOf(order, approvals[which]));
        _reverts(
            executor,
            order.approvedCall(approvals),
            abi.encodeWithSelector(
                IVaultRecords.InvalidSignature.selector,
                _digestOf(order, approvals[which]),
                approvals[which].approver
            )
        );
    }

    function test_executeApproved_reverts_whenAnyApproverWasRevoked(uint256 which) external {
        which = _bound(which, 0, 3);
        Order memory order = _large(FOUR_ABOVE + 1);
        bytes memory data = order.approvedCall(_approvals(order, 4));
        vm.prank(owner);
        vault.revokeApprover(vm.addr(keys[which]));
        _reverts(
            executor,
            data,
            abi.encodeWithSelector(
                IVaultRecords.ApproverNotAllowed.selector, vm.addr(keys[which]), uint64(2)
            )
        );
    }

    function test_executeApproved_reverts_whenAnyApprovalIsInvalidated(uint256 which, bool byOwner)
        external
    {
        which = _bound(which, 0, 3);
        Order memory order = _large(FOUR_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 4);
        bytes32 digest = _digestOf(order, approvals[which]);
        vm.prank(byOwner ? owner : approvals[which].approver);
        vault.invalidateApproval(digest);
        _reverts(
            executor,
            order.approvedCall(approvals),
            abi.encodeWithSelector(IVaultRecords.ApprovalIsInvalidated.selector, digest)
        );
    }

    /// @dev What one approver takes back is not taken back for the others.
    function test_executeApproved_succeeds_whenAnotherApproverInvalidatesInTheirName() external {
        Order memory order = _large(TWO_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 2);
        vm.prank(approvals[0].approver);
        vault.invalidateApproval(_digestOf(order, approvals[1]));
        _succeeds(executor, order.approvedCall(approvals));
    }

    /// @dev A signature names its approver: nobody can fill two places with it.
    function test_executeApproved_reverts_whenASignatureIsUsedForAnotherApprover() external {
        Order memory order = _large(TWO_ABOVE + 1);
        IVaultRecords.Approval[] memory approvals = _approvals(order, 2);
        approvals[1].signature = approvals[0].signature;
        _reverts(
            executor,
            order.approvedCall(approvals),
            abi.encodeWithSelector(
                IVaultRecords.InvalidSignature.selector,
                _digestOf(order, approvals[1]),
                approvals[1].approver
            )
        );
    }

    function test_executeApproved_reverts_withoutAnySignature() external {
        Order memory order = _order();
        IVaultRecords.Approval[] memory none = new IVaultRecords.Approval[](0);
        _reverts(executor, order.approvedCall(none), _count(0, 1));
    }

    function test_executeAutomatic_succeeds_belowEveryTier() external {
        Order memory order = _order();
        order.amount = AUTOMATIC_CAP;
        _automates(order);
    }

    function _needs(uint256 amount, uint256 count) private {
        Order memory order = _large(amount);
        order.paymentId = keccak256(abi.encode(amount));
        vm.assertEq(vault.requiredApprovals(amount), count, "requiredApprovals");
        bytes memory fewer = order.approvedCall(_approvals(order, count - 1));
        _reverts(executor, fewer, _count(count - 1, count));
        bytes memory more = order.approvedCall(_approvals(order, count + 1));
        _reverts(executor, more, _count(count + 1, count));
        _succeeds(executor, order.approvedCall(_approvals(order, count)));
    }

    function _large(uint256 amount) private view returns (Order memory order) {
        order = _order();
        order.amount = amount;
    }

    function _approvals(Order memory order, uint256 count)
        private
        view
        returns (IVaultRecords.Approval[] memory approvals)
    {
        approvals = new IVaultRecords.Approval[](count);
        for (uint256 i = 0; i < count; ++i) approvals[i] = _approval(order, i);
    }

    function _approval(Order memory order, uint256 signer)
        private
        view
        returns (IVaultRecords.Approval memory approval)
    {
        approval.approvalId = keccak256(abi.encode("approval", signer));
        approval.approver = vm.addr(keys[signer]);
        approval.signature = _sign(keys[signer], _digestOf(order, approval));
    }

    function _digestOf(Order memory order, IVaultRecords.Approval memory approval)
        private
        view
        returns (bytes32)
    {
        (order.approvalId, order.approver) = (approval.approvalId, approval.approver);
        return _digest(order);
    }

    function _insert(uint256 key) private {
        keys.push(key);
        for (uint256 i = keys.length - 1; i > 0 && vm.addr(keys[i]) < vm.addr(keys[i - 1]); --i) {
            (keys[i], keys[i - 1]) = (keys[i - 1], keys[i]);
        }
    }

    function _count(uint256 given, uint256 required) private pure returns (bytes memory) {
        return abi.encodeWithSelector(
            IVaultRecords.ApprovalCountMismatch.selector, given, required
        );
    }

    function _notAscending(address approver_) private pure returns (bytes memory) {
        return
            abi.encodeWithSelector(IVaultRecords.ApproversNotAscending.selector, approver_);
    }
}
