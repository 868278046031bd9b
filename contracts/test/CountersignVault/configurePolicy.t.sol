// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {Order} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract ConfigurePolicyTest is VaultTest {
    function test_configurePolicy_succeeds_withEveryFieldAsGiven(
        bool automaticEnabled,
        bool paused,
        uint128[4] memory numbers,
        uint64 expiresAt
    ) external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.automaticEnabled = automaticEnabled;
        config.paused = paused;
        config.lifetimeCap = numbers[0];
        config.approvedCap = uint128(_bound(numbers[1], 0, numbers[0]));
        config.automaticCap = uint128(_bound(numbers[2], 0, config.approvedCap));
        config.reserveFloor = numbers[3];
        config.expiresAt = uint64(_bound(expiresAt, NOW + 1, type(uint64).max));
        vm.assertEq(_configure(config), 2, "returned version");
        vm.assertEq(vault.policyVersion(), 2, "version");
        ICountersignVault.Policy memory policy = vault.policy();
        vm.assertEq(policy.executor, config.executor, "executor");
        vm.assertEq(policy.expiresAt, config.expiresAt, "expiresAt");
        vm.assertEq(policy.automaticEnabled, automaticEnabled, "automaticEnabled");
        vm.assertEq(policy.paused, paused, "paused");
        vm.assertEq(policy.approvedCap, config.approvedCap, "approvedCap");
        vm.assertEq(policy.automaticCap, config.automaticCap, "automaticCap");
        vm.assertEq(policy.lifetimeCap, config.lifetimeCap, "lifetimeCap");
        vm.assertEq(policy.reserveFloor, config.reserveFloor, "reserveFloor");
    }

    function test_configurePolicy_succeeds_andReplacesBothLists() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.approvers = _list(stranger);
        config.recipients = _list(address(0xbeef));
        _configure(config);
        vm.assertTrue(vault.isApprover(2, stranger), "new approver");
        vm.assertFalse(vault.isApprover(2, approver), "old approver");
        vm.assertFalse(vault.isApprover(2, second), "old second approver");
        vm.assertTrue(vault.isRecipient(2, address(0xbeef)), "new recipient");
        vm.assertFalse(vault.isRecipient(2, recipient), "old recipient");
        vm.assertTrue(vault.isApprover(1, approver), "the past stays");
        vm.assertTrue(vault.isRecipient(1, recipient), "the past stays");
    }

    function test_configurePolicy_succeeds_andSaysAllOfIt() external {
        ICountersignVault.PolicyConfig memory config = _config();
        vm.expectEmit(address(vault));
        emit ICountersignVault.PolicyConfigured(2, executor, config);
        _configure(config);
    }

    function test_configurePolicy_succeeds_andKeepsWhatWasSpent() external {
        _automates(_order());
        _configure(_config());
        vm.assertEq(vault.spentTotal(), 100e6, "spentTotal");
        vm.assertTrue(vault.paymentExecuted(_order().paymentId), "paymentExecuted");
    }

    function test_configurePolicy_succeeds_withTheLongestLists() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.approvers = _crowd(32, 0x1000);
        config.recipients = _crowd(256, 0x2000);
        _configure(config);
        vm.assertTrue(vault.isApprover(2, address(0x1000)), "first approver");
        vm.assertTrue(vault.isApprover(2, address(0x101f)), "last approver");
        vm.assertTrue(vault.isRecipient(2, address(0x2000)), "first recipient");
        vm.assertTrue(vault.isRecipient(2, address(0x20ff)), "last recipient");
    }

    function test_configurePolicy_succeeds_withoutRecipients() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.recipients = new address[](0);
        _configure(config);
        _automaticReverts(
            _order(),
            abi.encodeWithSelector(
                ICountersignVault.RecipientNotAllowed.selector, recipient, uint64(2)
            )
        );
    }

    function test_configurePolicy_succeeds_whenOwnerAndRecipientApprove() external {
        ICountersignVault.PolicyConfig memory config = _config();
        (config.approvers[0], config.approvers[1]) = (owner, recipient);
        config.recipients = _list(owner);
        _configure(config);
    }

    function test_configurePolicy_succeeds_whenEveryCapIsEqual() external {
        _automates(_order());
        ICountersignVault.PolicyConfig memory config = _config();
        (config.automaticCap, config.approvedCap, config.lifetimeCap) = (100e6, 100e6, 100e6);
        config.expiresAt = uint64(NOW + 1);
        _configure(config);
    }

    function test_configurePolicy_reverts_whenNotTheOwner(address caller) external {
        vm.assume(caller != owner);
        _reverts(
            caller,
            abi.encodeCall(ICountersignVault.configurePolicy, (1, _config())),
            abi.encodeWithSelector(ICountersignVault.NotOwner.selector, caller, owner)
        );
    }

    function test_configurePolicy_reverts_whenTheVersionIsAnother(uint64 version) external {
        vm.assume(version != 1);
        _reverts(
            owner,
            abi.encodeCall(ICountersignVault.configurePolicy, (version, _config())),
            abi.encodeWithSelector(
                ICountersignVault.VersionMismatch.selector, version, uint64(1)
            )
        );
    }

    function test_configurePolicy_reverts_whenTheExecutorIsZero() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.executor = address(0);
        _refused(config, "executor.zero");
    }

    function test_configurePolicy_reverts_whenTheExecutorIsTheVault() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.executor = address(vault);
        _refused(config, "executor.vault");
    }

    function test_configurePolicy_reverts_whenTheExecutorIsTheOwner() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.executor = owner;
        _refused(config, "executor.owner");
    }

    function test_configurePolicy_reverts_whenItIsOver(uint64 expiresAt) external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.expiresAt = uint64(_bound(expiresAt, 0, NOW));
        _refused(config, "expiresAt.past");
        config.expiresAt = uint64(NOW);
        _refused(config, "expiresAt.past");
    }

    function test_configurePolicy_reverts_whenTheCapsContradict() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.automaticCap = config.approvedCap + 1;
        _refused(config, "automaticCap.aboveApprovedCap");
        config = _config();
        config.approvedCap = config.lifetimeCap + 1;
        _refused(config, "approvedCap.aboveLifetimeCap");
    }

    function test_configurePolicy_reverts_whenLessThanSpent() external {
        _automates(_order());
        ICountersignVault.PolicyConfig memory config = _config();
        (config.automaticCap, config.approvedCap) = (0, 0);
        config.lifetimeCap = 100e6 - 1;
        _refused(config, "lifetimeCap.belowSpentTotal");
    }

    function test_configurePolicy_reverts_whenNobodyApproves() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.approvers = new address[](0);
        _refused(config, "approvers.none");
    }

    function test_configurePolicy_reverts_whenAListIsTooLong() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.approvers = _crowd(33, 0x1000);
        _refused(config, "approvers.tooMany");
        config = _config();
        config.recipients = _crowd(257, 0x2000);
        _refused(config, "recipients.tooMany");
    }

    function test_configurePolicy_reverts_whenAnApproverIsImpossible() external {
        _refusedApprover(address(0), "approvers.zero");
        _refusedApprover(address(vault), "approvers.vault");
        _refusedApprover(address(usdc), "approvers.token");
        _refusedApprover(executor, "approvers.executor");
        _refusedApprover(approver, "approvers.duplicate");
    }

    function test_configurePolicy_reverts_whenARecipientIsImpossible() external {
        _refusedRecipient(address(0), "recipients.zero");
        _refusedRecipient(address(vault), "recipients.vault");
        _refusedRecipient(address(usdc), "recipients.token");
        _refusedRecipient(executor, "recipients.executor");
        _refusedRecipient(recipient, "recipients.duplicate");
    }

    function test_configurePolicy_reverts_whenAnyRecipientRepeats(uint8 to, uint8 from) external {
        vm.assume(to != from);
        ICountersignVault.PolicyConfig memory config = _config();
        config.recipients = _crowd(256, 0x2000);
        config.recipients[to] = config.recipients[from];
        _refused(config, "recipients.duplicate");
    }

    function test_configurePolicy_reverts_asIfNothingHadBeen() external {
        ICountersignVault.PolicyConfig memory config = _config();
        config.recipients = new address[](2);
        (config.recipients[0], config.recipients[1]) = (stranger, address(0));
        _refused(config, "recipients.zero");
        vm.assertFalse(vault.isRecipient(2, stranger), "left behind");
        _automates(_order());
    }

    function _refusedApprover(address last, bytes32 reason) private {
        ICountersignVault.PolicyConfig memory config = _config();
        config.approvers[1] = last;
        _refused(config, reason);
    }

    function _refusedRecipient(address last, bytes32 reason) private {
        ICountersignVault.PolicyConfig memory config = _config();
        config.recipients = new address[](2);
        (config.recipients[0], config.recipients[1]) = (recipient, last);
        _refused(config, reason);
    }

    function _refused(ICountersignVault.PolicyConfig memory config, bytes32 reason) private {
        _reverts(
            owner,
            abi.encodeCall(ICountersignVault.configurePolicy, (vault.policyVersion(), config)),
            abi.encodeWithSelector(ICountersignVault.InvalidConfig.selector, reason)
        );
    }
}
