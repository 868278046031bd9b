// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract InvalidateApprovalTest is VaultTest {
    function test_invalidateApproval_succeeds_forTheApprover() external {
        _stops(approver);
    }

    function test_invalidateApproval_succeeds_forTheOwner() external {
        _stops(owner);
    }

    function test_invalidateApproval_succeeds_andSaysSo(address caller, bytes32 digest) external {
        // The vault never calls itself; its namespace stands for all others here.
        vm.assume(caller != address(vault));
        vm.expectEmit(address(vault));
        emit IVaultRecords.ApprovalInvalidated(digest, caller);
        _invalidate(caller, digest);
        vm.assertTrue(vault.approvalInvalidated(caller, digest), "own namespace");
        vm.assertFalse(vault.approvalInvalidated(address(vault), digest), "other namespace");
        vm.assertFalse(vault.approvalInvalidated(caller, ~digest), "other digest");
    }

    function test_invalidateApproval_succeeds_withoutEffectForAnybodyElse(address caller) external {
        vm.assume(caller != approver && caller != owner);
        _invalidate(caller, _digest(_order()));
        _approves(_order());
    }

    function test_invalidateApproval_succeeds_withoutEffectForAnotherApprover() external {
        _invalidate(second, _digest(_order()));
        _approves(_order());
    }

    function test_invalidateApproval_succeeds_withoutEffectOnOtherApprovals() external {
        _invalidate(approver, _digest(_order()));
        Order memory again = _order();
        again.approvalId = keccak256("approval of the same payment again");
        _approves(again);
    }

    function test_invalidateApproval_succeeds_withoutEffectOnAutomaticPayments() external {
        _invalidate(owner, _digest(_order()));
        _invalidate(owner, bytes32(0));
        _automates(_order());
    }

    function test_invalidateApproval_succeeds_afterThePaymentAndDoesNothing() external {
        _approves(_order());
        _invalidate(approver, _digest(_order()));
        vm.assertEq(vault.spentTotal(), 100e6, "spentTotal");
    }

    function _stops(address by) private {
        bytes32 digest = _digest(_order());
        _invalidate(by, digest);
        _approvedReverts(
            _order(),
            abi.encodeWithSelector(IVaultRecords.ApprovalIsInvalidated.selector, digest)
        );
    }

    function _invalidate(address caller, bytes32 digest) private {
        _succeeds(caller, abi.encodeCall(ICountersignVault.invalidateApproval, (digest)));
    }
}
