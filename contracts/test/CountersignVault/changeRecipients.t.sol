// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract ChangeRecipientsTest is VaultTest {
    using Orders for Order;

    function test_changeRecipients_succeeds_andAddsAtOnceWithoutADelay() external {
        _changeRecipients(_list(stranger), _none());
        vm.assertEq(vault.recipientsVersion(), 2, "recipientsVersion");
        vm.assertEq(vault.recipientOf(stranger).allowedFrom, NOW, "allowedFrom");
        vm.assertFalse(vault.recipientOf(stranger).blocked, "blocked");
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, NOW, "who was there before");
    }

    function test_changeRecipients_succeeds_andRemovesAtOnce() external {
        _delayVault(7 days);
        _changeRecipients(_none(), _list(recipient));
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, 0, "allowedFrom");
        vm.assertEq(vault.recipientsVersion(), 2, "recipientsVersion");
    }

    function test_changeRecipients_succeeds_andAddsAfterTheDelay(uint32 delay) external {
        delay = uint32(_bound(delay, 0, 7 days));
        _delayVault(delay);
        vm.warp(NOW + 5);
        _changeRecipients(_list(stranger), _none());
        vm.assertEq(vault.recipientOf(stranger).allowedFrom, NOW + 5 + delay, "allowedFrom");
    }

    function test_changeRecipients_succeeds_atOnceBeforeTheFirstPolicy() external {
        bytes memory code = _vaultCode(owner, vault.token(), ORGANIZATION, 7 days);
        vault = ICountersignVault(_create(code));
        _changeRecipients(_list(stranger), _none());
        vm.assertEq(vault.recipientOf(stranger).allowedFrom, NOW, "allowedFrom");
        vm.assertEq(vault.recipientsVersion(), 1, "recipientsVersion");
    }

    function test_changeRecipients_succeeds_andSaysTheDifference() external {
        _delayVault(1 days);
        address[] memory add = _crowd(2, 0x2000);
        vm.expectEmit(address(vault));
        emit IVaultRecords.RecipientsChanged(2, uint64(NOW + 1 days), add, _list(recipient));
        _changeRecipients(add, _list(recipient));
    }

    function test_changeRecipients_succeeds_withFiveHundredChanges() external {
        _changeRecipients(_crowd(500, 0x2000), _none());
        vm.assertEq(vault.recipientOf(address(0x2000)).allowedFrom, NOW, "first");
        vm.assertEq(vault.recipientOf(address(0x21f3)).allowedFrom, NOW, "last");
        _changeRecipients(_crowd(250, 0x3000), _crowd(250, 0x2000));
        vm.assertEq(vault.recipientOf(address(0x2000)).allowedFrom, 0, "removed");
        vm.assertEq(vault.recipientOf(address(0x20f9)).allowedFrom, 0, "removed");
        vm.assertEq(vault.recipientOf(address(0x20fa)).allowedFrom, NOW, "kept");
        vm.assertEq(vault.recipientOf(address(0x30f9)).allowedFrom, NOW, "added");
    }

    /// @dev Both lists may name one recipient, who then waits like a new one.
    function test_changeRecipients_succeeds_andMakesARecipientWaitAgain() external {
        _delayVault(1 days);
        _changeRecipients(_list(recipient), _list(recipient));
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, NOW + 1 days, "allowedFrom");
    }

    function test_changeRecipients_succeeds_andKeepsBlocks() external {
        vm.prank(approver);
        vault.blockRecipient(recipient);
        _changeRecipients(_none(), _list(recipient));
        vm.assertTrue(vault.recipientOf(recipient).blocked, "blocked");
        _changeRecipients(_list(recipient), _none());
        vm.assertTrue(vault.recipientOf(recipient).blocked, "blocked");
        _approvedReverts(
            _order(),
            abi.encodeWithSelector(IVaultRecords.RecipientIsBlocked.selector, recipient)
        );
    }

    /// @dev Neither the policy nor what was signed under it changes.
    function test_changeRecipients_succeeds_andVoidsNoSignature() external {
        Order memory order = _order();
        bytes memory data = order.approvedCall(_signed(order));
        _changeRecipients(_list(stranger), _none());
        vm.assertEq(vault.policyVersion(), 1, "policyVersion");
        _succeeds(executor, data);
    }

    function test_changeRecipients_succeeds_whilePausedAndAfterThePolicysEnd() external {
        vm.prank(executor);
        vault.emergencyPause();
        vm.warp(NOW + 365 days);
        _changeRecipients(_list(stranger), _list(recipient));
        vm.assertEq(vault.recipientsVersion(), 2, "recipientsVersion");
    }

    /// @dev Only the policy in force gives roles, and only until they are revoked.
    function test_changeRecipients_succeeds_forFormerApproversAndExecutors() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.executor = stranger;
        config.approvers = _list(second);
        _configure(config);
        address[] memory add = new address[](2);
        (add[0], add[1]) = (executor, approver);
        _changeRecipients(add, _none());
        vm.prank(owner);
        vault.revokeApprover(second);
        _changeRecipients(_list(second), _none());
    }

    function test_changeRecipients_succeeds_forTheOwnerAsRecipient() external {
        _changeRecipients(_list(owner), _none());
        Order memory order = _order();
        order.recipient = owner;
        _approves(order);
    }

    function test_changeRecipients_reverts_whenNotTheOwner(address caller) external {
        vm.assume(caller != owner);
        _reverts(
            caller,
            _data(1, _list(stranger), _none()),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function test_changeRecipients_reverts_whenTheListIsAnother(uint64 version) external {
        vm.assume(version != 1);
        _reverts(
            owner,
            _data(version, _list(stranger), _none()),
            abi.encodeWithSelector(
                IVaultRecords.RecipientsVersionMismatch.selector, version, uint64(1)
            )
        );
    }

    function test_changeRecipients_reverts_whenNothingChanges() external {
        _refused(_none(), _none(), "recipients.none");
    }

    function test_changeRecipients_reverts_whenMoreThanFiveHundredChange() external {
        _refused(_crowd(501, 0x2000), _none(), "recipients.tooMany");
        _changeRecipients(_crowd(250, 0x2000), _none());
        _refused(_crowd(251, 0x3000), _crowd(250, 0x2000), "recipients.tooMany");
    }

    function test_changeRecipients_reverts_whenARecipientIsImpossible() external {
        _refusedAddition(address(0), "recipients.zero");
        _refusedAddition(address(vault), "recipients.vault");
        _refusedAddition(address(usdc), "recipients.token");
        _refusedAddition(executor, "recipients.executor");
        _refusedAddition(approver, "recipients.approver");
        _refusedAddition(second, "recipients.approver");
        _refusedAddition(recipient, "recipients.duplicate");
        _refusedAddition(address(0x2000), "recipients.duplicate");
    }

    function test_changeRecipients_reverts_whenAnUnlistedOneIsRemoved(address other) external {
        vm.assume(other != recipient);
        _refused(_none(), _list(other), "recipients.unknown");
        _refused(_list(stranger), _list(stranger), "recipients.unknown");
        address[] memory twice = new address[](2);
        (twice[0], twice[1]) = (recipient, recipient);
        _refused(_none(), twice, "recipients.unknown");
    }

    /// @dev Who is blocked but not listed cannot be removed.
    function test_changeRecipients_reverts_whenABlockedOneIsRemoved() external {
        vm.prank(owner);
        vault.blockRecipient(stranger);
        _refused(_none(), _list(stranger), "recipients.unknown");
    }

    function test_changeRecipients_reverts_whenAnyAdditionRepeats(uint8 to, uint8 from) external {
        vm.assume(to != from);
        address[] memory add = _crowd(256, 0x2000);
        add[to] = add[from];
        _refused(add, _none(), "recipients.duplicate");
    }

    /// @dev After one that is fine, so that all are looked at.
    function _refusedAddition(address last, bytes32 reason) private {
        address[] memory add = new address[](2);
        (add[0], add[1]) = (address(0x2000), last);
        _refused(add, _none(), reason);
        vm.assertEq(vault.recipientOf(address(0x2000)).allowedFrom, 0, "left behind");
    }

    function _refused(address[] memory add, address[] memory remove, bytes32 reason) private {
        _reverts(owner, _data(vault.recipientsVersion(), add, remove), _invalid(reason));
    }

    function _data(uint64 version, address[] memory add, address[] memory remove)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(ICountersignVault.changeRecipients, (version, add, remove));
    }
}
