// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "./IVaultRecords.sol";

/// @title What a policy must be
/// @notice The rules of `configurePolicy`; the first that fails is the reason of `InvalidConfig`.
library PolicyRules {
    /// @notice Most approvers that a policy may list.
    uint256 internal constant APPROVERS_MAX = 32;

    /// @notice Most tiers that a policy may have.
    uint256 internal constant TIERS_MAX = 4;

    /// @notice Most approvers that a tier may ask for.
    uint256 internal constant APPROVALS_MAX = 8;

    /// @notice Shortest and longest spending period.
    uint256 internal constant PERIOD_MIN = 1 hours;
    uint256 internal constant PERIOD_MAX = 365 days;

    /// @notice Every rule of a policy.
    /// @param config The policy.
    /// @param owner The vault's owner.
    /// @param token The vault's token.
    /// @param spentTotal What the vault has paid in its life.
    function check(
        IVaultRecords.PolicyConfig calldata config,
        address owner,
        address token,
        uint128 spentTotal
    ) internal view {
        require_(config.executor != address(0), "executor.zero");
        require_(config.executor != address(this), "executor.vault");
        require_(config.executor != owner, "executor.owner");
        require_(config.expiresAt > block.timestamp, "expiresAt.past");
        require_(config.automaticCap <= config.approvedCap, "automaticCap.aboveApprovedCap");
        require_(config.approvedCap <= config.lifetimeCap, "approvedCap.aboveLifetimeCap");
        require_(config.lifetimeCap >= spentTotal, "lifetimeCap.belowSpentTotal");
        _checkPeriod(config);
        _checkTiers(config);
        _checkApprovers(config, token);
    }

    /// @notice Refuses a change and names what is wrong with it.
    /// @param condition What must hold.
    /// @param reason A short name of what does not.
    function require_(bool condition, bytes32 reason) internal pure {
        if (!condition) revert IVaultRecords.InvalidConfig(reason);
    }

    /// @dev Without a period its caps would mean nothing, so they must be zero.
    function _checkPeriod(IVaultRecords.PolicyConfig calldata config) private pure {
        uint256 length = config.periodSeconds;
        if (length == 0) {
            require_(config.periodCap == 0, "periodCap.withoutPeriod");
            require_(config.automaticPeriodCap == 0, "automaticPeriodCap.withoutPeriod");
            return;
        }
        require_(length >= PERIOD_MIN, "periodSeconds.tooShort");
        require_(length <= PERIOD_MAX, "periodSeconds.tooLong");
        require_(config.automaticPeriodCap <= config.periodCap, "automaticPeriodCap.tooHigh");
    }

    /// @dev An automatic payment has no signature, so it must not reach a tier.
    function _checkTiers(IVaultRecords.PolicyConfig calldata config) private pure {
        uint256 count = config.tiers.length;
        require_(count <= TIERS_MAX, "tiers.tooMany");
        for (uint256 i = 0; i < count; ++i) {
            IVaultRecords.ApprovalTier calldata tier = config.tiers[i];
            require_(tier.approvals >= 2, "tiers.tooFewApprovals");
            require_(tier.approvals <= APPROVALS_MAX, "tiers.tooManyApprovals");
            require_(tier.approvals <= config.approvers.length, "tiers.aboveApprovers");
            if (i == 0) {
                require_(config.automaticCap <= tier.above, "automaticCap.aboveTier");
            } else {
                IVaultRecords.ApprovalTier calldata before = config.tiers[i - 1];
                require_(tier.above > before.above, "tiers.notAscending");
                require_(tier.approvals > before.approvals, "tiers.notAscending");
            }
        }
    }

    /// @dev The list is short, so each approver is compared with those before it.
    function _checkApprovers(IVaultRecords.PolicyConfig calldata config, address token)
        private
        view
    {
        uint256 count = config.approvers.length;
        require_(count > 0, "approvers.none");
        require_(count <= APPROVERS_MAX, "approvers.tooMany");
        for (uint256 i = 0; i < count; ++i) {
            address approver = config.approvers[i];
            require_(approver != address(0), "approvers.zero");
            require_(approver != address(this), "approvers.vault");
            require_(approver != token, "approvers.token");
            require_(approver != config.executor, "approvers.executor");
            for (uint256 j = 0; j < i; ++j) {
                require_(approver != config.approvers[j], "approvers.duplicate");
            }
        }
    }
}
