// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {PolicyTest} from "../base/PolicyTest.sol";
import {vm} from "../base/Vm.sol";

contract ActivatePolicyTest is PolicyTest {
    uint32 private constant DELAY = 2 days;

    function setUp() public override {
        super.setUp();
        _delayVault(DELAY);
    }

    function test_activatePolicy_succeeds_forAnybody(address caller) external {
        bytes32 id = _propose(_withTiers());
        vm.warp(NOW + DELAY);
        _succeeds(caller, _activation(_withTiers()));
        vm.assertEq(vault.policyVersion(), 2, "version");
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(_withTiers())), "policy");
        vm.assertTrue(vault.isApprover(2, address(0x1007)), "new approver");
        vm.assertFalse(vault.isApprover(2, approver), "old approver");
        IVaultRecords.Proposal memory none;
        vm.assertEq(abi.encode(vault.proposal()), abi.encode(none), "proposal");
        _reverts(
            caller,
            abi.encodeCall(ICountersignVault.activatePolicy, (1, _withTiers())),
            _mismatch(id, 0)
        );
    }

    function test_activatePolicy_succeeds_andSaysAllOfIt() external {
        _propose(_withTiers());
        vm.warp(NOW + DELAY);
        vm.expectEmit(address(vault));
        emit IVaultRecords.PolicyConfigured(2, executor, _withTiers());
        _succeeds(stranger, _activation(_withTiers()));
    }

    /// @dev From the first second after the delay to the last of the seven days after it.
    function test_activatePolicy_succeeds_forSevenDays() external {
        _propose(_config());
        vm.warp(NOW + DELAY - 1);
        _reverts(
            owner,
            _activation(_config()),
            abi.encodeWithSelector(
                IVaultRecords.TooEarly.selector, NOW + DELAY - 1, uint64(NOW + DELAY)
            )
        );
        vm.warp(NOW + DELAY + 7 days);
        _reverts(
            owner,
            _activation(_config()),
            abi.encodeWithSelector(
                IVaultRecords.ProposalExpired.selector,
                NOW + DELAY + 7 days,
                NOW + DELAY + 7 days
            )
        );
        vm.warp(NOW + DELAY + 7 days - 1);
        _succeeds(owner, _activation(_config()));
    }

    function test_activatePolicy_succeeds_withoutLiftingALaterPause() external {
        _propose(_config());
        vm.prank(second);
        vault.emergencyPause();
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(_config()));
        vm.assertTrue(vault.policy().paused, "paused");
        vm.assertEq(vault.pauseNumber(), 1, "pauseNumber");
        vm.prank(owner);
        vault.unpause(1);
        _approves(_order());
    }

    /// @dev The vault was paused before; somebody insisted after the proposal.
    function test_activatePolicy_succeeds_withoutLiftingARepeatedPause() external {
        vm.prank(executor);
        vault.emergencyPause();
        _propose(_config());
        vm.prank(second);
        vault.emergencyPause();
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(_config()));
        vm.assertTrue(vault.policy().paused, "paused");
    }

    function test_activatePolicy_succeeds_andLiftsAnEarlierPause() external {
        vm.prank(second);
        vault.emergencyPause();
        _propose(_config());
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(_config()));
        vm.assertFalse(vault.policy().paused, "paused");
    }

    function test_activatePolicy_succeeds_whenALaterPauseWasLifted() external {
        _propose(_config());
        vm.prank(second);
        vault.emergencyPause();
        vm.prank(owner);
        vault.unpause(1);
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(_config()));
        vm.assertFalse(vault.policy().paused, "paused");
    }

    /// @dev Its own pause counts when it comes into force, not when it is proposed.
    function test_activatePolicy_succeeds_andCountsAPolicyThatPauses() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.paused = true;
        _propose(config);
        vm.assertEq(vault.pauseNumber(), 0, "pauseNumber");
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(config));
        vm.assertTrue(vault.policy().paused, "paused");
        vm.assertEq(vault.pauseNumber(), 1, "pauseNumber");
    }

    function test_activatePolicy_reverts_whenALaterRevocationWouldBeTakenBack() external {
        _propose(_config());
        vm.prank(owner);
        vault.revokeApprover(second);
        vm.warp(NOW + DELAY);
        _reverts(stranger, _activation(_config()), _invalid("approvers.revoked"));
        _propose(_config());
        vm.warp(NOW + 2 * DELAY);
        _succeeds(stranger, _activation(_config()));
        vm.assertTrue(vault.isApprover(2, second), "listed again on purpose");
    }

    function test_activatePolicy_succeeds_whenSomebodyElseWasRevokedLater() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(approver);
        _propose(config);
        vm.prank(owner);
        vault.revokeApprover(second);
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(config));
    }

    function test_activatePolicy_reverts_whenNothingWasProposed() external {
        bytes32 id = _proposalOf(1, _config());
        _reverts(owner, _activation(_config()), _mismatch(id, 0));
    }

    function test_activatePolicy_reverts_whenAnyFieldIsAnother(uint128 more) external {
        bytes32 id = _propose(_config());
        vm.warp(NOW + DELAY);
        IVaultRecords.PolicyConfig memory config = _config();
        config.lifetimeCap = uint128(_bound(more, LIFETIME_CAP + 1, type(uint128).max));
        _reverts(owner, _activation(config), _mismatch(_proposalOf(1, config), id));
        config = _config();
        config.approvers[0] = stranger;
        _reverts(owner, _activation(config), _mismatch(_proposalOf(1, config), id));
    }

    function test_activatePolicy_reverts_whenTheVersionIsAnother(uint64 version) external {
        vm.assume(version != 1);
        bytes32 id = _propose(_config());
        vm.warp(NOW + DELAY);
        _reverts(
            owner,
            abi.encodeCall(ICountersignVault.activatePolicy, (version, _config())),
            _mismatch(_proposalOf(version, _config()), id)
        );
    }

    /// @dev Every rule is checked again: time has passed, and money was spent.
    function test_activatePolicy_reverts_whenThePolicyIsOverMeanwhile() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.expiresAt = uint64(NOW + DELAY);
        _propose(config);
        vm.warp(NOW + DELAY);
        _reverts(owner, _activation(config), _invalid("expiresAt.past"));
    }

    function test_activatePolicy_reverts_whenMoreWasSpentMeanwhile() external {
        IVaultRecords.PolicyConfig memory config = _config();
        (config.automaticCap, config.approvedCap, config.lifetimeCap) = (0, 0, 100e6 - 1);
        _propose(config);
        _automates(_order());
        vm.warp(NOW + DELAY);
        _reverts(owner, _activation(config), _invalid("lifetimeCap.belowSpentTotal"));
    }

    function test_activatePolicy_reverts_whereNothingWaits() external {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        _configure(_config());
        _reverts(owner, _activation(_config()), _mismatch(_proposalOf(1, _config()), 0));
    }

    /// @dev Signatures under the policy in force count until the very moment of activation.
    function test_activatePolicy_succeeds_andVoidsSignaturesOfBefore() external {
        _propose(_config());
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(_config()));
        vm.assertEq(_order().version, 2, "version");
        _approves(_order());
    }
}
