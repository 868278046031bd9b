// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract EmergencyPauseTest is VaultTest {
    bytes private constant PAUSE = abi.encodeCall(ICountersignVault.emergencyPause, ());

    function test_emergencyPause_succeeds_forTheOwner() external {
        _stopsEverything(owner);
    }

    function test_emergencyPause_succeeds_forTheExecutor() external {
        _stopsEverything(executor);
    }

    function test_emergencyPause_succeeds_forAnyApprover() external {
        _stopsEverything(second);
    }

    function test_emergencyPause_succeeds_andSaysWho() external {
        vm.expectEmit(address(vault));
        emit IVaultRecords.EmergencyPaused(1, second, 1);
        _succeeds(second, PAUSE);
    }

    function test_emergencyPause_succeeds_aSecondTime() external {
        _succeeds(second, PAUSE);
        vm.expectEmit(address(vault));
        emit IVaultRecords.EmergencyPaused(1, owner, 2);
        _succeeds(owner, PAUSE);
        vm.assertTrue(vault.policy().paused, "paused");
        vm.assertEq(vault.pauseNumber(), 2, "pauseNumber");
    }

    function test_emergencyPause_succeeds_atOnceWhereChangesWait() external {
        _delayVault(7 days);
        _stopsEverything(approver);
    }

    function test_emergencyPause_succeeds_untilTheNextPolicy() external {
        _succeeds(executor, PAUSE);
        _configure(_config());
        vm.assertFalse(vault.policy().paused, "paused");
        _approves(_order());
    }

    function test_emergencyPause_succeeds_andChangesNothingElse() external {
        IVaultRecords.Policy memory policy = vault.policy();
        _succeeds(owner, PAUSE);
        policy.paused = true;
        vm.assertEq(abi.encode(vault.policy()), abi.encode(policy), "policy");
        vm.assertEq(vault.policyVersion(), 1, "version");
    }

    function test_emergencyPause_succeeds_forTheOwnerBeforeAnyPolicy() external {
        vault = _newVault(owner, IERC20(address(usdc)), ORGANIZATION);
        _succeeds(owner, PAUSE);
        _configure(_config());
        vm.assertFalse(vault.policy().paused, "paused");
    }

    function test_emergencyPause_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner && caller != executor && caller != approver && caller != second);
        _refused(caller);
    }

    function test_emergencyPause_reverts_forARecipient() external {
        _refused(recipient);
    }

    function test_emergencyPause_reverts_forWhoeverThePolicyNamedBefore() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.executor = stranger;
        config.approvers = _list(second);
        _configure(config);
        _refused(executor);
        _refused(approver);
    }

    function test_emergencyPause_reverts_forARevokedApprover() external {
        vm.prank(owner);
        vault.revokeApprover(second);
        _refused(second);
    }

    function test_emergencyPause_reverts_forAnybodyElseBeforeAnyPolicy() external {
        vault = _newVault(owner, IERC20(address(usdc)), ORGANIZATION);
        _refused(approver);
        _refused(executor);
    }

    function _stopsEverything(address by) private {
        _succeeds(by, PAUSE);
        _approvedReverts(_order(), _is(IVaultRecords.PolicyPaused.selector));
        _automaticReverts(_order(), _is(IVaultRecords.PolicyPaused.selector));
    }

    function _refused(address caller) private {
        _reverts(
            caller, PAUSE, abi.encodeWithSelector(IVaultRecords.NotGuardian.selector, caller)
        );
    }
}
