// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
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
        emit ICountersignVault.EmergencyPaused(1, second);
        _succeeds(second, PAUSE);
    }

    function test_emergencyPause_succeeds_aSecondTime() external {
        _succeeds(second, PAUSE);
        _succeeds(owner, PAUSE);
        vm.assertTrue(vault.policy().paused, "paused");
    }

    function test_emergencyPause_succeeds_untilTheNextPolicy() external {
        _succeeds(executor, PAUSE);
        _configure(_config());
        vm.assertFalse(vault.policy().paused, "paused");
        _approves(_order());
    }

    function test_emergencyPause_succeeds_andChangesNothingElse() external {
        ICountersignVault.Policy memory policy = vault.policy();
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
        ICountersignVault.PolicyConfig memory config = _config();
        config.executor = stranger;
        config.approvers = _list(second);
        _configure(config);
        _refused(executor);
        _refused(approver);
    }

    function _stopsEverything(address by) private {
        _succeeds(by, PAUSE);
        _approvedReverts(_order(), _is(ICountersignVault.PolicyPaused.selector));
        _automaticReverts(_order(), _is(ICountersignVault.PolicyPaused.selector));
    }

    function _refused(address caller) private {
        _reverts(
            caller, PAUSE, abi.encodeWithSelector(ICountersignVault.NotGuardian.selector, caller)
        );
    }
}
