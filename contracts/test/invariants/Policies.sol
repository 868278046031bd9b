// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Payments} from "./Payments.sol";

/// @notice Policies that are good, and policies with which something is wrong.
abstract contract Policies is Payments {
    function _goodPolicy() internal returns (R.PolicyConfig memory c) {
        c.executor = _often(97) ? people[1 + _roll(2)] : people[FIRST_PAYEE + _roll(4)];
        c.expiresAt = uint64(block.timestamp + 1 + _roll(20 days));
        c.automaticEnabled = _often(90);
        c.paused = _often(4);
        c.lifetimeCap = uint128(spent + _roll(_often(80) ? 500_000e6 : 1_000e6));
        c.approvedCap = uint128(_roll(_often(80) ? 3_000e6 : 500_000e6));
        if (c.approvedCap > c.lifetimeCap) c.approvedCap = c.lifetimeCap;
        c.automaticCap = uint128(_roll(uint256(c.approvedCap) + 1));
        c.reserveFloor = uint128(_roll(_often(90) ? 1_000e6 : 100_000e6));
        uint256 first = _roll(5);
        c.approvers = new address[](1 + _roll(5));
        for (uint256 i = 0; i < c.approvers.length; ++i) {
            c.approvers[i] = people[FIRST_APPROVER + (first + i) % 5];
        }
        if (_often(5)) _addApprover(c, people[FIRST_PAYEE + _roll(4)]);
        if (_often(60)) _addPeriod(c);
        if (_often(50)) _addTiers(c);
    }

    /// @dev Whose approver is also somebody to be paid, perhaps the executor.
    function _addApprover(R.PolicyConfig memory c, address more) private pure {
        if (c.executor != more) c.approvers[0] = more;
    }

    function _addPeriod(R.PolicyConfig memory c) private {
        uint32[5] memory lengths = [3_600, 5_000, 86_400, 604_800, 31_536_000];
        c.periodSeconds = lengths[_roll(5)];
        c.periodCap = uint128(_roll(_often(70) ? 20_000e6 : 2_000e6));
        c.automaticPeriodCap = uint128(_roll(uint256(c.periodCap) + 1));
    }

    function _addTiers(R.PolicyConfig memory c) private {
        uint256 most = c.approvers.length - 1;
        uint256 count = most == 0 ? 0 : 1 + _roll(most > 3 ? 3 : most);
        c.tiers = new R.ApprovalTier[](count);
        uint128 above = c.automaticCap;
        for (uint256 i = 0; i < count; ++i) {
            above += uint128(_roll(c.approvedCap / 4 + 1));
            c.tiers[i] = R.ApprovalTier(above++, uint8(2 + i));
        }
    }

    /// @dev One thing or another is wrong with it, now and then nothing.
    function _spoil(R.PolicyConfig memory c) internal {
        uint256 what = _roll(14);
        if (what == 0) c.executor = _anything();
        if (what == 1) c.expiresAt = uint64(block.timestamp - _roll(2));
        if (what == 2) c.automaticCap = c.approvedCap + 1;
        if (what == 3) c.approvedCap = c.lifetimeCap + 1;
        if (what == 4 && spent > 0) {
            (c.lifetimeCap, c.approvedCap, c.automaticCap) = (uint128(spent - 1), 0, 0);
        }
        if (what == 5) c.approvers = new address[](33 * _roll(2));
        if (what == 6) c.approvers[_roll(c.approvers.length)] = _anything();
        if (what == 7) c.approvers[0] = c.approvers[c.approvers.length - 1];
        if (what == 8) c.periodSeconds = uint32(3_600 - _roll(2));
        if (what == 9) c.periodSeconds = uint32(31_536_000 + _roll(2));
        if (what == 10) c.periodSeconds = 0;
        if (what == 11) c.automaticPeriodCap = c.periodCap + uint128(_roll(2));
        if (what == 12 && c.tiers.length > 0) _spoilTier(c.tiers[_roll(c.tiers.length)], c);
        if (what == 13) c.tiers = new R.ApprovalTier[](5);
    }

    function _spoilTier(R.ApprovalTier memory tier, R.PolicyConfig memory c) private {
        uint256 what = _roll(3);
        if (what == 0) tier.approvals = uint8(_roll(12));
        if (what == 1) tier.above = c.tiers[_roll(c.tiers.length)].above;
        if (what == 2) tier.above = c.automaticCap - uint128(_roll(uint256(c.automaticCap) + 1));
    }
}
