// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {VaultTest} from "./VaultTest.sol";

/// @notice Policies with periods and tiers, and what the vault should say of them.
abstract contract PolicyTest is VaultTest {
    function _periodic(uint32 periodSeconds, uint128 cap, uint128 automaticCap)
        internal
        view
        returns (IVaultRecords.PolicyConfig memory config)
    {
        config = _config();
        (config.periodSeconds, config.periodCap, config.automaticPeriodCap) =
            (periodSeconds, cap, automaticCap);
    }

    /// @dev Eight approvers and as many tiers as there can be.
    function _withTiers() internal view returns (IVaultRecords.PolicyConfig memory config) {
        config = _config();
        config.approvers = _crowd(8, 0x1000);
        config.tiers = new IVaultRecords.ApprovalTier[](4);
        config.tiers[0] = IVaultRecords.ApprovalTier(AUTOMATIC_CAP, 2);
        config.tiers[1] = IVaultRecords.ApprovalTier(AUTOMATIC_CAP + 1, 3);
        config.tiers[2] = IVaultRecords.ApprovalTier(APPROVED_CAP - 1, 5);
        config.tiers[3] = IVaultRecords.ApprovalTier(APPROVED_CAP, 8);
    }

    /// @dev What `policy()` gives once the policy is in force.
    function _policyOf(IVaultRecords.PolicyConfig memory config)
        internal
        pure
        returns (IVaultRecords.Policy memory)
    {
        return IVaultRecords.Policy({
            executor: config.executor,
            expiresAt: config.expiresAt,
            automaticEnabled: config.automaticEnabled,
            paused: config.paused,
            approvedCap: config.approvedCap,
            automaticCap: config.automaticCap,
            lifetimeCap: config.lifetimeCap,
            reserveFloor: config.reserveFloor,
            periodSeconds: config.periodSeconds,
            periodCap: config.periodCap,
            automaticPeriodCap: config.automaticPeriodCap,
            tiers: config.tiers
        });
    }

    function _proposalOf(uint64 version, IVaultRecords.PolicyConfig memory config)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(version, config));
    }

    function _propose(IVaultRecords.PolicyConfig memory config) internal returns (bytes32) {
        _configure(config);
        return _proposalOf(vault.policyVersion(), config);
    }

    function _activation(IVaultRecords.PolicyConfig memory config)
        internal
        view
        returns (bytes memory)
    {
        return abi.encodeCall(ICountersignVault.activatePolicy, (vault.policyVersion(), config));
    }

    function _mismatch(bytes32 given, bytes32 current) internal pure returns (bytes memory) {
        return
            abi.encodeWithSelector(IVaultRecords.ProposalMismatch.selector, given, current);
    }
}
