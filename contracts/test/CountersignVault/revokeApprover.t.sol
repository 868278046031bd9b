// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract RevokeApproverTest is VaultTest {
    using Orders for Order;

    function test_revokeApprover_succeeds_andTheSignatureIsWorthless() external {
        Order memory order = _order();
        bytes memory data = order.approvedCall(_signed(order));
        _succeeds(owner, _data(approver));
        vm.assertFalse(vault.isApprover(1, approver), "revoked");
        vm.assertTrue(vault.isApprover(1, second), "the other");
        vm.assertEq(vault.policyVersion(), 1, "policyVersion");
        _reverts(executor, data, _unlisted(approver));
    }

    function test_revokeApprover_succeeds_andSaysSo() external {
        vm.expectEmit(address(vault));
        emit IVaultRecords.ApproverRevoked(1, second);
        _succeeds(owner, _data(second));
    }

    function test_revokeApprover_succeeds_atOnceWhereChangesWait() external {
        _delayVault(7 days);
        _succeeds(owner, _data(approver));
        _approvedReverts(_order(), _unlisted(approver));
    }

    function test_revokeApprover_succeeds_andOthersSignOn() external {
        _succeeds(owner, _data(approver));
        Order memory order = _order();
        order.approver = second;
        _succeeds(executor, order.approvedCall(_sign(secondKey, _digest(order))));
    }

    function test_revokeApprover_succeeds_forTheLastOne() external {
        _succeeds(owner, _data(approver));
        _succeeds(owner, _data(second));
        _approvedReverts(_order(), _unlisted(approver));
        _automates(_order());
    }

    /// @dev A tier then asks for more than there are, and pays nothing.
    function test_revokeApprover_succeeds_andATierCannotBeFilled() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.tiers = _tier(AUTOMATIC_CAP, 2);
        _configure(config);
        _succeeds(owner, _data(second));
        vm.assertEq(vault.requiredApprovals(AUTOMATIC_CAP + 1), 2, "requiredApprovals");
        Order memory order = _order();
        order.amount = AUTOMATIC_CAP + 1;
        _approvedReverts(
            order,
            abi.encodeWithSelector(IVaultRecords.ApprovalCountMismatch.selector, 1, 2)
        );
    }

    function test_revokeApprover_succeeds_andAPolicyCanListThemAgain() external {
        _succeeds(owner, _data(approver));
        _configure(_config());
        vm.assertTrue(vault.isApprover(2, approver), "listed again");
        _approves(_order());
        _succeeds(owner, _data(approver));
        vm.assertFalse(vault.isApprover(2, approver), "revoked again");
    }

    function test_revokeApprover_succeeds_andTakesAllTheirRights() external {
        _succeeds(owner, _data(second));
        _powerless(second, abi.encodeCall(ICountersignVault.emergencyPause, ()));
        _powerless(second, abi.encodeCall(ICountersignVault.blockRecipient, (recipient)));
        _powerless(second, abi.encodeCall(ICountersignVault.veto, (bytes32(0))));
    }

    function test_revokeApprover_reverts_whenNotAnApprover(address account) external {
        vm.assume(account != approver && account != second);
        _reverts(owner, _data(account), _unlisted(account));
        _succeeds(owner, _data(approver));
        _reverts(owner, _data(approver), _unlisted(approver));
    }

    function test_revokeApprover_reverts_forFormerApprovers() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(second);
        _configure(config);
        _reverts(
            owner,
            _data(approver),
            abi.encodeWithSelector(
                IVaultRecords.ApproverNotAllowed.selector, approver, uint64(2)
            )
        );
    }

    function test_revokeApprover_reverts_beforeAnyPolicy() external {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        _reverts(
            owner,
            _data(approver),
            abi.encodeWithSelector(
                IVaultRecords.ApproverNotAllowed.selector, approver, uint64(0)
            )
        );
        vm.assertFalse(vault.isApprover(0, approver), "nobody approves");
    }

    function test_revokeApprover_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner);
        _refused(caller);
        _refused(approver);
        _refused(executor);
    }

    function _powerless(address caller, bytes memory data) private {
        _reverts(
            caller, data, abi.encodeWithSelector(IVaultRecords.NotGuardian.selector, caller)
        );
    }

    function _refused(address caller) private {
        _reverts(
            caller,
            _data(second),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function _unlisted(address by) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IVaultRecords.ApproverNotAllowed.selector, by, uint64(1));
    }

    function _data(address account) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.revokeApprover, (account));
    }
}
