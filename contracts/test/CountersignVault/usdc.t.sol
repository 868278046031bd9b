// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

/// @notice A pause or a blacklist of the token refuses, changes nothing, and passes.
contract UsdcTest is VaultTest {
    bytes private constant PAUSED = abi.encodeWithSignature("Error(string)", "Pausable: paused");
    bytes private constant BLACKLISTED =
        abi.encodeWithSignature("Error(string)", "Blacklistable: account is blacklisted");

    function test_executeApproved_reverts_whileUsdcIsPaused() external {
        usdc.setPaused(true);
        _refusesBoth(PAUSED);
        usdc.setPaused(false);
        _approves(_order());
    }

    function test_executeApproved_reverts_whileTheVaultIsBlacklisted() external {
        usdc.setBlacklisted(address(vault), true);
        _refusesBoth(BLACKLISTED);
        usdc.setBlacklisted(address(vault), false);
        _approves(_order());
    }

    function test_executeApproved_reverts_whileTheRecipientIsBlacklisted() external {
        usdc.setBlacklisted(recipient, true);
        _refusesBoth(BLACKLISTED);
        usdc.setBlacklisted(recipient, false);
        _approves(_order());
    }

    function test_executeApproved_succeeds_whenOthersAreBlacklisted() external {
        usdc.setBlacklisted(owner, true);
        usdc.setBlacklisted(executor, true);
        usdc.setBlacklisted(approver, true);
        _approves(_order());
    }

    function test_withdraw_reverts_whileTheOwnerIsBlacklisted() external {
        bytes memory data = abi.encodeCall(ICountersignVault.withdraw, (FUNDS));
        usdc.setBlacklisted(owner, true);
        _reverts(owner, data, BLACKLISTED);
        usdc.setBlacklisted(owner, false);
        _succeeds(owner, data);
    }

    function test_withdraw_reverts_whileUsdcIsPaused() external {
        bytes memory data = abi.encodeCall(ICountersignVault.withdraw, (FUNDS));
        usdc.setPaused(true);
        _reverts(owner, data, PAUSED);
        usdc.setPaused(false);
        _succeeds(owner, data);
    }

    function test_deposit_reverts_whileUsdcIsPausedOrTheDepositorBlacklisted() external {
        bytes memory data = abi.encodeCall(ICountersignVault.deposit, (7));
        usdc.mint(stranger, 7);
        vm.prank(stranger);
        usdc.approve(address(vault), 7);
        usdc.setPaused(true);
        _reverts(stranger, data, PAUSED);
        usdc.setPaused(false);
        usdc.setBlacklisted(stranger, true);
        _reverts(stranger, data, BLACKLISTED);
        usdc.setBlacklisted(stranger, false);
        _succeeds(stranger, data);
    }

    function _refusesBoth(bytes memory err) private {
        _approvedReverts(_order(), err);
        _automaticReverts(_order(), err);
    }
}
