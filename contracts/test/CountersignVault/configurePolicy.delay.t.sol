// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {PolicyTest} from "../base/PolicyTest.sol";
import {vm} from "../base/Vm.sol";

/// @notice Where changes have to wait, a policy is only proposed.
contract ConfigurePolicyDelayTest is PolicyTest {
    uint32 private constant DELAY = 2 days;

    function setUp() public override {
        super.setUp();
        _delayVault(DELAY);
    }

    function test_configurePolicy_succeeds_atOnceForTheFirstPolicy() external view {
        vm.assertEq(vault.policyVersion(), 1, "version");
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(_config())), "policy");
        IVaultRecords.Proposal memory none;
        vm.assertEq(abi.encode(vault.proposal()), abi.encode(none), "proposal");
    }

    function test_configurePolicy_succeeds_andOnlyProposes() external {
        bytes32 id = _propose(_withTiers());
        vm.assertEq(vault.policyVersion(), 1, "version");
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(_config())), "policy");
        vm.assertTrue(vault.isApprover(1, approver), "approver");
        IVaultRecords.Proposal memory waiting =
            IVaultRecords.Proposal(id, uint64(NOW + DELAY), 0, 0);
        vm.assertEq(abi.encode(vault.proposal()), abi.encode(waiting), "proposal");
        _approves(_order());
    }

    function test_configurePolicy_succeeds_andSaysAllThatIsProposed() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        vm.expectEmit(address(vault));
        emit IVaultRecords.PolicyProposed(
            _proposalOf(1, config), 1, uint64(NOW + DELAY), config
        );
        _configure(config);
    }

    function test_configurePolicy_succeeds_andNotesPausesAndRevocationsBefore() external {
        vm.prank(executor);
        vault.emergencyPause();
        vm.prank(owner);
        vault.revokeApprover(second);
        vm.prank(owner);
        vault.emergencyPause();
        bytes32 id = _propose(_config());
        IVaultRecords.Proposal memory waiting =
            IVaultRecords.Proposal(id, uint64(NOW + DELAY), 2, 1);
        vm.assertEq(abi.encode(vault.proposal()), abi.encode(waiting), "proposal");
    }

    function test_configurePolicy_succeeds_andReplacesAProposal() external {
        bytes32 first = _propose(_withTiers());
        vm.warp(NOW + 1 days);
        bytes32 id = _propose(_periodic(1 days, 5, 5));
        vm.assertTrue(id != first, "id");
        vm.assertEq(vault.proposal().id, id, "proposal");
        vm.assertEq(vault.proposal().activatesAt, NOW + 1 days + DELAY, "activatesAt");
        vm.warp(NOW + DELAY);
        _reverts(stranger, _activation(_withTiers()), _mismatch(first, id));
    }

    /// @dev The clock starts again, also for the very same policy.
    function test_configurePolicy_succeeds_andRestartsTheClock() external {
        bytes32 first = _propose(_withTiers());
        vm.warp(NOW + DELAY - 1);
        vm.assertEq(_propose(_withTiers()), first, "id");
        vm.warp(NOW + DELAY);
        _reverts(
            stranger,
            _activation(_withTiers()),
            abi.encodeWithSelector(
                IVaultRecords.TooEarly.selector, NOW + DELAY, uint64(NOW + 2 * DELAY - 1)
            )
        );
        vm.warp(NOW + 2 * DELAY - 1);
        _succeeds(stranger, _activation(_withTiers()));
    }

    function test_configurePolicy_reverts_whenSomebodyElseProposes(address caller) external {
        vm.assume(caller != owner);
        _reverts(
            caller,
            abi.encodeCall(ICountersignVault.configurePolicy, (1, _config())),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function test_configurePolicy_reverts_whenProposedForAnotherVersion(uint64 version) external {
        vm.assume(version != 1);
        _reverts(
            owner,
            abi.encodeCall(ICountersignVault.configurePolicy, (version, _config())),
            abi.encodeWithSelector(IVaultRecords.VersionMismatch.selector, version, uint64(1))
        );
    }

    function test_configurePolicy_reverts_whenTheProposalIsImpossible() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.executor = owner;
        _refused(config, "executor.owner");
        config = _config();
        config.approvers[1] = address(usdc);
        _refused(config, "approvers.token");
        _automates(_order());
        config = _config();
        (config.automaticCap, config.approvedCap, config.lifetimeCap) = (0, 0, 100e6 - 1);
        _refused(config, "lifetimeCap.belowSpentTotal");
    }

    function _refused(IVaultRecords.PolicyConfig memory config, bytes32 reason) private {
        bytes memory data = abi.encodeCall(ICountersignVault.configurePolicy, (1, config));
        _reverts(owner, data, _invalid(reason));
    }
}
