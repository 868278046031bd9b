// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract DepositTest is VaultTest {
    function test_deposit_succeeds_forAnybody(address caller, uint256 amount) external {
        vm.assume(caller != address(0) && caller != address(vault));
        amount = _bound(amount, 1, type(uint128).max);
        _give(caller, amount);
        _succeeds(caller, _data(amount));
        vm.assertEq(usdc.balanceOf(address(vault)), FUNDS + amount, "vault");
        vm.assertEq(usdc.balanceOf(caller), 0, "caller");
        vm.assertEq(vault.spentTotal(), 0, "spentTotal");
    }

    function test_deposit_succeeds_andSaysSo() external {
        _give(stranger, 7);
        vm.expectEmit(address(vault));
        emit IVaultRecords.Deposited(stranger, 7);
        _succeeds(stranger, _data(7));
    }

    function test_deposit_succeeds_whenPausedAndExpired() external {
        vm.prank(owner);
        vault.emergencyPause();
        vm.warp(NOW + 365 days);
        _give(stranger, 7);
        _succeeds(stranger, _data(7));
    }

    function test_deposit_reverts_whenNothing() external {
        _reverts(stranger, _data(0), _is(IVaultRecords.ZeroAmount.selector));
    }

    function test_deposit_reverts_withoutAllowance() external {
        usdc.mint(stranger, 7);
        _reverts(
            stranger,
            _data(7),
            abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds allowance")
        );
    }

    function test_deposit_reverts_withoutMoney() external {
        _give(stranger, 7);
        vm.prank(stranger);
        usdc.approve(address(vault), 8);
        _reverts(
            stranger,
            _data(8),
            abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds balance")
        );
    }

    function _give(address to, uint256 amount) private {
        usdc.mint(to, amount);
        vm.prank(to);
        usdc.approve(address(vault), amount);
    }

    function _data(uint256 amount) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.deposit, (amount));
    }
}
