// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {PolicyTest} from "../base/PolicyTest.sol";
import {vm} from "../base/Vm.sol";

/// @notice Which periods and tiers a policy may have. The rules are the same for a policy that
///         counts at once and one that waits.
contract ConfigurePolicyRulesTest is PolicyTest {
    function test_configurePolicy_succeeds_withTheShortestAndTheLongestPeriod() external {
        _configure(_periodic(1 hours, 0, 0));
        vm.assertEq(vault.policy().periodSeconds, 1 hours, "shortest");
        _configure(_periodic(365 days, type(uint128).max, type(uint128).max));
        vm.assertEq(vault.policy().periodSeconds, 365 days, "longest");
    }

    function test_configurePolicy_reverts_whenThePeriodIsTooShort(uint32 periodSeconds) external {
        _refused(_periodic(1 hours - 1, 0, 0), "periodSeconds.tooShort");
        _refused(_periodic(1, 0, 0), "periodSeconds.tooShort");
        periodSeconds = uint32(_bound(periodSeconds, 1, 1 hours - 1));
        _refused(_periodic(periodSeconds, 0, 0), "periodSeconds.tooShort");
    }

    function test_configurePolicy_reverts_whenThePeriodIsTooLong(uint32 periodSeconds) external {
        _refused(_periodic(365 days + 1, 0, 0), "periodSeconds.tooLong");
        periodSeconds = uint32(_bound(periodSeconds, 365 days + 1, type(uint32).max));
        _refused(_periodic(periodSeconds, 0, 0), "periodSeconds.tooLong");
    }

    function test_configurePolicy_reverts_whenAPeriodCapHasNoPeriod() external {
        _refused(_periodic(0, 1, 0), "periodCap.withoutPeriod");
        _refused(_periodic(0, 0, 1), "automaticPeriodCap.withoutPeriod");
    }

    function test_configurePolicy_reverts_whenTheAutomaticPeriodCapIsHigher() external {
        _refused(_periodic(1 days, 5, 6), "automaticPeriodCap.tooHigh");
        _configure(_periodic(1 days, 5, 5));
    }

    function test_configurePolicy_reverts_whenThereAreFiveTiers() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        IVaultRecords.ApprovalTier[] memory four = config.tiers;
        config.tiers = new IVaultRecords.ApprovalTier[](5);
        for (uint256 i = 0; i < 4; ++i) config.tiers[i] = four[i];
        config.tiers[4] = IVaultRecords.ApprovalTier(APPROVED_CAP + 1, 8);
        _refused(config, "tiers.tooMany");
    }

    function test_configurePolicy_reverts_whenATierAsksForLessThanTwo() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        config.tiers = _tier(AUTOMATIC_CAP, 1);
        _refused(config, "tiers.tooFewApprovals");
        config.tiers = _tier(AUTOMATIC_CAP, 0);
        _refused(config, "tiers.tooFewApprovals");
    }

    function test_configurePolicy_reverts_whenATierAsksForMoreThanEight() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        config.approvers = _crowd(9, 0x1000);
        config.tiers = _tier(AUTOMATIC_CAP, 9);
        _refused(config, "tiers.tooManyApprovals");
        config.tiers = _tier(AUTOMATIC_CAP, 8);
        _configure(config);
    }

    function test_configurePolicy_reverts_whenATierAsksForMoreThanApprove() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.tiers = _tier(AUTOMATIC_CAP, 3);
        _refused(config, "tiers.aboveApprovers");
        config.tiers = _tier(AUTOMATIC_CAP, 2);
        _configure(config);
    }

    function test_configurePolicy_reverts_whenAutomaticPaymentsReachATier() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.tiers = _tier(AUTOMATIC_CAP - 1, 2);
        _refused(config, "automaticCap.aboveTier");
        config.tiers = _tier(AUTOMATIC_CAP, 2);
        _configure(config);
    }

    function test_configurePolicy_reverts_whenTiersAreNotAscending() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        config.tiers[1].above = config.tiers[0].above;
        _refused(config, "tiers.notAscending");
        config = _withTiers();
        config.tiers[1].approvals = config.tiers[0].approvals;
        _refused(config, "tiers.notAscending");
        config = _withTiers();
        config.tiers[3].above = config.tiers[2].above - 1;
        _refused(config, "tiers.notAscending");
        config = _withTiers();
        config.tiers[3].approvals = config.tiers[2].approvals - 1;
        _refused(config, "tiers.notAscending");
    }

    /// @dev All four tiers count, also where a later one is wrong.
    function test_configurePolicy_reverts_whenTheLastTierIsWrong() external {
        IVaultRecords.PolicyConfig memory config = _withTiers();
        config.tiers[3].approvals = 9;
        _refused(config, "tiers.tooManyApprovals");
        _configure(_withTiers());
    }

    /// @dev Both where policies count at once and where they wait.
    function _refused(IVaultRecords.PolicyConfig memory config, bytes32 reason) private {
        bytes memory data = abi.encodeCall(
            ICountersignVault.configurePolicy, (vault.policyVersion(), config)
        );
        _reverts(owner, data, _invalid(reason));
        ICountersignVault direct = vault;
        _delayVault(1 days);
        data = abi.encodeCall(ICountersignVault.configurePolicy, (1, config));
        _reverts(owner, data, _invalid(reason));
        vault = direct;
    }
}
