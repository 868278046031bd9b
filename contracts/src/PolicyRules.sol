// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "./ICountersignVault.sol";

/// @title What a policy must be
/// @notice The rules of `configurePolicy`; the first that fails is the reason of `InvalidConfig`.
library PolicyRules {
    /// @notice Most approvers that a policy may list.
    uint256 internal constant APPROVERS_MAX = 32;

    /// @notice Most recipients that a policy may list.
    uint256 internal constant RECIPIENTS_MAX = 256;

    /// @notice Everything about a policy but its two lists.
    /// @param config The policy.
    /// @param owner The vault's owner.
    /// @param spentTotal What the vault has paid in its life.
    function check(
        ICountersignVault.PolicyConfig calldata config,
        address owner,
        uint128 spentTotal
    ) internal view {
        _require(config.executor != address(0), "executor.zero");
        _require(config.executor != address(this), "executor.vault");
        _require(config.executor != owner, "executor.owner");
        _require(config.expiresAt > block.timestamp, "expiresAt.past");
        _require(config.automaticCap <= config.approvedCap, "automaticCap.aboveApprovedCap");
        _require(config.approvedCap <= config.lifetimeCap, "approvedCap.aboveLifetimeCap");
        _require(config.lifetimeCap >= spentTotal, "lifetimeCap.belowSpentTotal");
    }

    /// @notice Puts the policy's approvers into the set of its version.
    /// @dev The set of a version that is being made is empty, so an entry in it is a duplicate.
    /// @param set The empty set.
    /// @param config The policy.
    /// @param token The vault's token.
    function listApprovers(
        mapping(address approver => bool) storage set,
        ICountersignVault.PolicyConfig calldata config,
        address token
    ) internal {
        uint256 count = config.approvers.length;
        _require(count > 0, "approvers.none");
        _require(count <= APPROVERS_MAX, "approvers.tooMany");
        for (uint256 i = 0; i < count; ++i) {
            address approver = config.approvers[i];
            _require(approver != address(0), "approvers.zero");
            _require(approver != address(this), "approvers.vault");
            _require(approver != token, "approvers.token");
            _require(approver != config.executor, "approvers.executor");
            _require(!set[approver], "approvers.duplicate");
            set[approver] = true;
        }
    }

    /// @notice Puts the policy's recipients into the set of its version.
    /// @dev An empty list is a policy too: it pays nobody.
    /// @param set The empty set.
    /// @param config The policy.
    /// @param token The vault's token.
    function listRecipients(
        mapping(address recipient => bool) storage set,
        ICountersignVault.PolicyConfig calldata config,
        address token
    ) internal {
        uint256 count = config.recipients.length;
        _require(count <= RECIPIENTS_MAX, "recipients.tooMany");
        for (uint256 i = 0; i < count; ++i) {
            address recipient = config.recipients[i];
            _require(recipient != address(0), "recipients.zero");
            _require(recipient != address(this), "recipients.vault");
            _require(recipient != token, "recipients.token");
            _require(recipient != config.executor, "recipients.executor");
            _require(!set[recipient], "recipients.duplicate");
            set[recipient] = true;
        }
    }

    /// @dev Refuses the policy and names what is wrong with it.
    function _require(bool condition, bytes32 reason) private pure {
        if (!condition) revert ICountersignVault.InvalidConfig(reason);
    }
}
