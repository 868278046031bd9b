// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "./ICountersignVault.sol";
import {PolicyRules} from "./PolicyRules.sol";
import {VaultPolicy} from "./VaultPolicy.sol";

/// @title Who may be paid
/// @notice A list of its own: a new supplier costs one small transaction and voids no signature.
abstract contract VaultRecipients is VaultPolicy {
    /// @dev Most changes of recipients in one call.
    uint256 private constant CHANGES_MAX = 500;

    /// @inheritdoc ICountersignVault
    uint64 public recipientsVersion;

    /// @inheritdoc ICountersignVault
    function configurePolicyAndRecipients(
        uint64 expectedVersion,
        PolicyConfig calldata config,
        uint64 expectedRecipientsVersion,
        address[] calldata add,
        address[] calldata remove
    ) external {
        bool isFirst = policyVersion == 0;
        configurePolicy(expectedVersion, config);
        _changeRecipients(expectedRecipientsVersion, add, remove, isFirst);
    }

    /// @inheritdoc ICountersignVault
    function changeRecipients(
        uint64 expectedRecipientsVersion,
        address[] calldata add,
        address[] calldata remove
    ) external onlyOwner {
        _changeRecipients(expectedRecipientsVersion, add, remove, policyVersion == 0);
    }

    /// @inheritdoc ICountersignVault
    function blockRecipient(address recipient) external onlyOwnerOrApprover {
        PolicyRules.require_(!_accounts[recipient].blocked, "recipients.blocked");
        _accounts[recipient].blocked = true;
        emit RecipientBlocked(recipient, msg.sender);
    }

    /// @inheritdoc ICountersignVault
    function unblockRecipient(address recipient) external onlyOwner {
        PolicyRules.require_(_accounts[recipient].blocked, "recipients.notBlocked");
        _accounts[recipient].blocked = false;
        emit RecipientUnblocked(recipient);
    }

    /// @inheritdoc ICountersignVault
    function recipientOf(address account) external view returns (Recipient memory) {
        return Recipient(_accounts[account].allowedFrom, _accounts[account].blocked);
    }

    /// @dev Listed for long enough, not blocked, and without a role in the policy in force: who
    ///      decides on payments or sends them gets none.
    function _requirePayable(address recipient) internal view {
        Account memory known = _accounts[recipient];
        if (known.allowedFrom == 0 || block.timestamp < known.allowedFrom) {
            revert RecipientNotAllowed(recipient, known.allowedFrom);
        }
        if (known.blocked) revert RecipientIsBlocked(recipient);
        if (recipient == _policy.executor || known.approverOf == policyVersion) {
            revert RecipientHasRole(recipient);
        }
    }

    /// @dev Removals first, so that both lists may name one recipient, who then waits again.
    function _changeRecipients(
        uint64 expectedVersion,
        address[] calldata add,
        address[] calldata remove,
        bool isFirst
    ) private {
        uint64 version = recipientsVersion;
        if (expectedVersion != version) revert RecipientsVersionMismatch(expectedVersion, version);
        uint256 changes = add.length + remove.length;
        PolicyRules.require_(changes > 0, "recipients.none");
        PolicyRules.require_(changes <= CHANGES_MAX, "recipients.tooMany");
        for (uint256 i = 0; i < remove.length; ++i) {
            PolicyRules.require_(_accounts[remove[i]].allowedFrom != 0, "recipients.unknown");
            _accounts[remove[i]].allowedFrom = 0;
        }
        uint64 allowedFrom = uint64(block.timestamp + (isFirst ? 0 : changeDelaySeconds));
        for (uint256 i = 0; i < add.length; ++i) {
            _add(add[i], allowedFrom);
        }
        recipientsVersion = ++version;
        emit RecipientsChanged(version, allowedFrom, add, remove);
    }

    function _add(address recipient, uint64 allowedFrom) private {
        PolicyRules.require_(recipient != address(0), "recipients.zero");
        PolicyRules.require_(recipient != address(this), "recipients.vault");
        PolicyRules.require_(recipient != address(token), "recipients.token");
        PolicyRules.require_(recipient != _policy.executor, "recipients.executor");
        PolicyRules.require_(!_isApprover(recipient), "recipients.approver");
        PolicyRules.require_(_accounts[recipient].allowedFrom == 0, "recipients.duplicate");
        _accounts[recipient].allowedFrom = allowedFrom;
    }
}
