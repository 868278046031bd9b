// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract UnpauseTest is VaultTest {
    function setUp() public override {
        super.setUp();
        _pause(approver);
    }

    function test_unpause_succeeds_andPaymentsGoOn() external {
        _succeeds(owner, _data(1));
        vm.assertFalse(vault.policy().paused, "paused");
        vm.assertEq(vault.policyVersion(), 1, "policyVersion");
        vm.assertEq(vault.pauseNumber(), 1, "pauseNumber");
        _approves(_order());
    }

    function test_unpause_succeeds_andSaysSo() external {
        _pause(second);
        vm.expectEmit(address(vault));
        emit IVaultRecords.Unpaused(1, 2);
        _succeeds(owner, _data(2));
    }

    function test_unpause_succeeds_atOnceWhereChangesWait() external {
        _delayVault(7 days);
        _pause(executor);
        _succeeds(owner, _data(1));
        _approves(_order());
    }

    function test_unpause_succeeds_forThePauseOfAPolicy() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.paused = true;
        _configure(config);
        _reverts(owner, _data(1), _mismatch(1, 2));
        _succeeds(owner, _data(2));
        _approves(_order());
    }

    function test_unpause_succeeds_andChangesNothingElse() external {
        IVaultRecords.Policy memory policy = vault.policy();
        _succeeds(owner, _data(1));
        policy.paused = false;
        vm.assertEq(abi.encode(vault.policy()), abi.encode(policy), "policy");
    }

    /// @dev The owner saw the first pause; somebody has pulled the brake once more since.
    function test_unpause_reverts_whenALaterPauseIsInForce() external {
        _pause(second);
        _reverts(owner, _data(1), _mismatch(1, 2));
        vm.assertTrue(vault.policy().paused, "paused");
    }

    function test_unpause_reverts_whenThePauseIsAnother(uint64 number) external {
        vm.assume(number != 1);
        _reverts(owner, _data(number), _mismatch(number, 1));
    }

    function test_unpause_reverts_whenNotPaused() external {
        _succeeds(owner, _data(1));
        _reverts(owner, _data(1), _mismatch(1, 1));
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        _reverts(owner, _data(0), _mismatch(0, 0));
    }

    function test_unpause_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner);
        _refused(caller);
        _refused(approver);
        _refused(executor);
    }

    function _pause(address by) private {
        _succeeds(by, abi.encodeCall(ICountersignVault.emergencyPause, ()));
    }

    function _refused(address caller) private {
        _reverts(
            caller,
            _data(1),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function _mismatch(uint64 given, uint64 current) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IVaultRecords.PauseMismatch.selector, given, current);
    }

    function _data(uint64 number) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.unpause, (number));
    }
}
