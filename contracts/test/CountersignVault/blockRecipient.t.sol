// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract BlockRecipientTest is VaultTest {
    function test_blockRecipient_succeeds_forTheOwner() external {
        _stops(owner);
    }

    function test_blockRecipient_succeeds_forAnyApprover() external {
        _stops(second);
    }

    function test_blockRecipient_succeeds_andSaysWho() external {
        vm.expectEmit(address(vault));
        emit IVaultRecords.RecipientBlocked(recipient, second);
        _succeeds(second, _data(recipient));
    }

    function test_blockRecipient_succeeds_atOnceWhereChangesWait() external {
        _delayVault(7 days);
        _stops(approver);
    }

    function test_blockRecipient_succeeds_andSurvivesANewPolicy() external {
        _stops(approver);
        _configure(_config());
        _approvedReverts(_order(), _isBlocked(recipient));
    }

    function test_blockRecipient_succeeds_forAnyAddress(address account) external {
        _succeeds(owner, _data(account));
        vm.assertTrue(vault.recipientOf(account).blocked, "blocked");
        uint64 allowedFrom = account == recipient ? uint64(NOW) : 0;
        vm.assertEq(vault.recipientOf(account).allowedFrom, allowedFrom, "allowedFrom");
        vm.assertEq(vault.recipientsVersion(), 1, "recipientsVersion");
    }

    /// @dev Whoever is listed after the block is not paid either.
    function test_blockRecipient_succeeds_beforeAnAddressIsListed() external {
        _succeeds(approver, _data(stranger));
        _changeRecipients(_list(stranger), _none());
        vm.assertTrue(vault.recipientOf(stranger).blocked, "blocked");
        vm.assertEq(vault.recipientOf(stranger).allowedFrom, NOW, "allowedFrom");
    }

    /// @dev A block says nothing about the approver's own role.
    function test_blockRecipient_succeeds_withoutEffectOnApprovers() external {
        _succeeds(owner, _data(approver));
        vm.assertTrue(vault.isApprover(1, approver), "approver");
        _approves(_order());
    }

    function test_blockRecipient_reverts_whenBlockedAlready() external {
        _succeeds(approver, _data(recipient));
        _reverts(owner, _data(recipient), _invalid("recipients.blocked"));
    }

    function test_blockRecipient_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner && caller != approver && caller != second);
        _refused(caller);
        _refused(executor);
        _refused(recipient);
    }

    function test_blockRecipient_reverts_forFormerApprovers() external {
        vm.prank(owner);
        vault.revokeApprover(approver);
        _refused(approver);
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(approver);
        _configure(config);
        _refused(second);
    }

    function test_blockRecipient_reverts_forAnybodyBeforeTheFirstPolicy() external {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        _refused(approver);
        _succeeds(owner, _data(recipient));
    }

    function _stops(address by) private {
        _succeeds(by, _data(recipient));
        _approvedReverts(_order(), _isBlocked(recipient));
        _automaticReverts(_order(), _isBlocked(recipient));
    }

    function _isBlocked(address account) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IVaultRecords.RecipientIsBlocked.selector, account);
    }

    function _refused(address caller) private {
        _reverts(
            caller,
            _data(recipient),
            abi.encodeWithSelector(IVaultRecords.NotGuardian.selector, caller)
        );
    }

    function _data(address account) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.blockRecipient, (account));
    }
}
