// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {PolicyTest} from "../base/PolicyTest.sol";

contract ConfigurePolicyTest is PolicyTest {
    function test_configurePolicy_succeeds_withEveryFieldAsGiven(
        bool automaticEnabled,
        bool paused,
        uint128[6] memory numbers,
        uint64 expiresAt,
        uint32 periodSeconds
    ) external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.automaticEnabled = automaticEnabled;
        config.paused = paused;
        config.lifetimeCap = numbers[0];
        config.approvedCap = uint128(_bound(numbers[1], 0, numbers[0]));
        config.automaticCap = uint128(_bound(numbers[2], 0, config.approvedCap));
        config.reserveFloor = numbers[3];
        config.expiresAt = uint64(_bound(expiresAt, NOW + 1, type(uint64).max));
        config.periodSeconds = uint32(_bound(periodSeconds, 1 hours, 365 days));
        config.periodCap = numbers[4];
        config.automaticPeriodCap = uint128(_bound(numbers[5], 0, numbers[4]));
        config.tiers = _tier(config.automaticCap, 2);
        _configure(config);
        vm.assertEq(vault.policyVersion(), 2, "version");
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(config)), "policy");
    }

    function test_configurePolicy_succeeds_withoutAPeriod() external {
        _configure(_periodic(1 days, 10, 5));
        _configure(_config());
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(_config())), "policy");
    }

    function test_configurePolicy_succeeds_andReplacesTheApprovers() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(stranger);
        _configure(config);
        vm.assertTrue(vault.isApprover(2, stranger), "new approver");
        vm.assertFalse(vault.isApprover(2, approver), "old approver");
        vm.assertFalse(vault.isApprover(2, second), "old second approver");
        vm.assertFalse(vault.isApprover(1, approver), "under the policy before");
        vm.assertFalse(vault.isApprover(3, stranger), "under the next policy");
    }

    function test_configurePolicy_succeeds_andKeepsTheRecipients() external {
        _configure(_config());
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, NOW, "allowedFrom");
        vm.assertEq(vault.recipientsVersion(), 1, "recipientsVersion");
        _approves(_order());
    }

    function test_configurePolicy_succeeds_andReplacesTheTiers() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        _configure(config);
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(config)), "four tiers");
        config.tiers = _tier(AUTOMATIC_CAP + 7, 2);
        _configure(config);
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(config)), "one tier");
        vm.assertEq(vault.requiredApprovals(APPROVED_CAP), 2, "requiredApprovals");
        _configure(_config());
        vm.assertEq(vault.policy().tiers.length, 0, "no tier");
        vm.assertEq(vault.requiredApprovals(APPROVED_CAP), 1, "requiredApprovals");
    }

    /// @dev Counts as a pause of its own, which `unpause` can name.
    function test_configurePolicy_succeeds_andCountsAPolicyThatPauses() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.paused = true;
        _configure(config);
        vm.assertEq(vault.pauseNumber(), 1, "pauseNumber");
        _configure(config);
        vm.assertEq(vault.pauseNumber(), 2, "pauseNumber");
        _configure(_config());
        vm.assertEq(vault.pauseNumber(), 2, "pauseNumber");
        vm.assertFalse(vault.policy().paused, "paused");
    }

    function test_configurePolicy_succeeds_andSaysAllOfIt() external {
        IVaultRecords.PolicyConfig memory config = _config();
        vm.expectEmit(address(vault));
        emit IVaultRecords.PolicyConfigured(2, executor, config);
        _configure(config);
    }

    function test_configurePolicy_succeeds_andKeepsWhatWasSpent() external {
        _automates(_order());
        _configure(_config());
        vm.assertEq(vault.spentTotal(), 100e6, "spentTotal");
        vm.assertTrue(vault.paymentExecuted(_order().paymentId), "paymentExecuted");
    }

    function test_configurePolicy_succeeds_withTheLongestList() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _crowd(32, 0x1000);
        _configure(config);
        for (uint256 i = 0; i < 32; ++i) {
            vm.assertTrue(vault.isApprover(2, config.approvers[i]), "approver");
        }
    }

    function test_configurePolicy_succeeds_whenOwnerAndRecipientApprove() external {
        IVaultRecords.PolicyConfig memory config = _config();
        (config.approvers[0], config.approvers[1]) = (owner, recipient);
        _configure(config);
        vm.assertTrue(vault.isApprover(2, owner), "owner");
        vm.assertTrue(vault.isApprover(2, recipient), "recipient");
    }

    function test_configurePolicy_succeeds_whenEveryCapIsEqual() external {
        _automates(_order());
        IVaultRecords.PolicyConfig memory config = _config();
        (config.automaticCap, config.approvedCap, config.lifetimeCap) = (100e6, 100e6, 100e6);
        config.expiresAt = uint64(NOW + 1);
        _configure(config);
    }

    function test_configurePolicy_reverts_whenNotTheOwner(address caller) external {
        vm.assume(caller != owner);
        _reverts(
            caller,
            abi.encodeCall(ICountersignVault.configurePolicy, (1, _config())),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function test_configurePolicy_reverts_whenTheVersionIsAnother(uint64 version) external {
        vm.assume(version != 1);
        _reverts(
            owner,
            abi.encodeCall(ICountersignVault.configurePolicy, (version, _config())),
            abi.encodeWithSelector(
                IVaultRecords.VersionMismatch.selector, version, uint64(1)
            )
        );
    }

    function test_configurePolicy_reverts_whenTheExecutorIsZero() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.executor = address(0);
        _refused(config, "executor.zero");
    }

    function test_configurePolicy_reverts_whenTheExecutorIsTheVault() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.executor = address(vault);
        _refused(config, "executor.vault");
    }

    function test_configurePolicy_reverts_whenTheExecutorIsTheOwner() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.executor = owner;
        _refused(config, "executor.owner");
    }

    function test_configurePolicy_reverts_whenItIsOver(uint64 expiresAt) external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.expiresAt = uint64(_bound(expiresAt, 0, NOW));
        _refused(config, "expiresAt.past");
        config.expiresAt = uint64(NOW);
        _refused(config, "expiresAt.past");
    }

    function test_configurePolicy_reverts_whenTheCapsContradict() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.automaticCap = config.approvedCap + 1;
        _refused(config, "automaticCap.aboveApprovedCap");
        config = _config();
        config.approvedCap = config.lifetimeCap + 1;
        _refused(config, "approvedCap.aboveLifetimeCap");
    }

    function test_configurePolicy_reverts_whenLessThanSpent() external {
        _automates(_order());
        IVaultRecords.PolicyConfig memory config = _config();
        (config.automaticCap, config.approvedCap) = (0, 0);
        config.lifetimeCap = 100e6 - 1;
        _refused(config, "lifetimeCap.belowSpentTotal");
    }

    function test_configurePolicy_reverts_whenNobodyApproves() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = new address[](0);
        _refused(config, "approvers.none");
    }

    function test_configurePolicy_reverts_whenTooManyApprove() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _crowd(33, 0x1000);
        _refused(config, "approvers.tooMany");
    }

    function test_configurePolicy_reverts_whenAnApproverIsImpossible() external {
        _refusedApprover(address(0), "approvers.zero");
        _refusedApprover(address(vault), "approvers.vault");
        _refusedApprover(address(usdc), "approvers.token");
        _refusedApprover(executor, "approvers.executor");
        _refusedApprover(approver, "approvers.duplicate");
    }

    function test_configurePolicy_reverts_whenAnyApproverRepeats(uint8 to, uint8 from) external {
        (to, from) = (to % 32, from % 32);
        vm.assume(to != from);
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _crowd(32, 0x1000);
        config.approvers[to] = config.approvers[from];
        _refused(config, "approvers.duplicate");
    }

    function test_configurePolicy_reverts_asIfNothingHadBeen() external {
        IVaultRecords.PolicyConfig memory config = _config();
        (config.approvers[0], config.approvers[1]) = (stranger, address(0));
        _refused(config, "approvers.zero");
        vm.assertFalse(vault.isApprover(2, stranger), "left behind");
        _automates(_order());
    }

    function _refusedApprover(address last, bytes32 reason) private {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers[1] = last;
        _refused(config, reason);
    }

    function _refused(IVaultRecords.PolicyConfig memory config, bytes32 reason) private {
        _reverts(
            owner,
            abi.encodeCall(ICountersignVault.configurePolicy, (vault.policyVersion(), config)),
            _invalid(reason)
        );
    }
}
