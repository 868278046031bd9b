// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract WithdrawTest is VaultTest {
    function test_withdraw_succeeds_forTheOwnerOnly(uint256 amount) external {
        amount = _bound(amount, 1, FUNDS);
        _succeeds(owner, _data(amount));
        vm.assertEq(usdc.balanceOf(owner), amount, "owner");
        vm.assertEq(usdc.balanceOf(address(vault)), FUNDS - amount, "vault");
        vm.assertEq(vault.spentTotal(), 0, "spentTotal");
    }

    function test_withdraw_succeeds_andSaysSo() external {
        vm.expectEmit(address(vault));
        emit IVaultRecords.Withdrawn(owner, 7);
        _succeeds(owner, _data(7));
    }

    function test_withdraw_succeeds_withAllOfItWhateverThePolicySays() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.reserveFloor = type(uint128).max;
        (config.approvedCap, config.automaticCap, config.lifetimeCap) = (0, 0, 0);
        _configure(config);
        vm.prank(approver);
        vault.emergencyPause();
        vm.warp(NOW + 365 days);
        _succeeds(owner, _data(FUNDS));
        vm.assertEq(usdc.balanceOf(owner), FUNDS, "owner");
    }

    function test_withdraw_succeeds_beforeAnyPolicy() external {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        usdc.mint(address(vault), 7);
        _succeeds(owner, _data(7));
    }

    function test_withdraw_reverts_forAnybodyElse(address caller, uint256 amount) external {
        vm.assume(caller != owner);
        _refused(caller, amount);
    }

    function test_withdraw_reverts_forEverybodyThePolicyNames() external {
        _refused(executor, 1);
        _refused(approver, 1);
        _refused(recipient, 1);
    }

    function test_withdraw_reverts_whenNothing() external {
        _reverts(owner, _data(0), _is(IVaultRecords.ZeroAmount.selector));
    }

    function test_withdraw_reverts_whenMoreThanThereIs() external {
        _reverts(
            owner,
            _data(FUNDS + 1),
            abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds balance")
        );
    }

    function _refused(address caller, uint256 amount) private {
        _reverts(
            caller,
            _data(amount),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function _data(uint256 amount) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.withdraw, (amount));
    }
}
