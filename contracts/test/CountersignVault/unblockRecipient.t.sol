// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract UnblockRecipientTest is VaultTest {
    function setUp() public override {
        super.setUp();
        vm.prank(approver);
        vault.blockRecipient(recipient);
    }

    function test_unblockRecipient_succeeds_andTheRecipientIsPaidAgain() external {
        _succeeds(owner, _data(recipient));
        vm.assertFalse(vault.recipientOf(recipient).blocked, "blocked");
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, NOW, "allowedFrom");
        _approves(_order());
    }

    function test_unblockRecipient_succeeds_andSaysSo() external {
        vm.expectEmit(address(vault));
        emit IVaultRecords.RecipientUnblocked(recipient);
        _succeeds(owner, _data(recipient));
    }

    /// @dev Lifting a block lists nobody.
    function test_unblockRecipient_succeeds_withoutListingAnybody() external {
        _changeRecipients(_none(), _list(recipient));
        _succeeds(owner, _data(recipient));
        _approvedReverts(
            _order(),
            abi.encodeWithSelector(
                IVaultRecords.RecipientNotAllowed.selector, recipient, uint64(0)
            )
        );
    }

    function test_unblockRecipient_reverts_whenNotBlocked(address account) external {
        vm.assume(account != recipient);
        _reverts(owner, _data(account), _invalid("recipients.notBlocked"));
        _succeeds(owner, _data(recipient));
        _reverts(owner, _data(recipient), _invalid("recipients.notBlocked"));
    }

    function test_unblockRecipient_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner);
        _refused(caller);
        _refused(approver);
        _refused(executor);
        _refused(recipient);
    }

    function _refused(address caller) private {
        _reverts(
            caller,
            _data(recipient),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function _data(address account) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.unblockRecipient, (account));
    }
}
