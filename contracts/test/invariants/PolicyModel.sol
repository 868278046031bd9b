// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {PeriodModel, Window} from "../base/PeriodModel.sol";
import {OddToken} from "../mocks/OddToken.sol";

/// @notice What the design says of policies, written a second time without the vault's code.
/// @dev Every prediction is the error that a call must end with, nothing when it must succeed.
abstract contract PolicyModel {
    using PeriodModel for Window;

    V internal vault;
    OddToken internal token;
    address internal owner;
    uint256 internal delay;

    R.Policy internal p;
    uint64 internal version;
    uint256 internal spent;
    Window internal window;
    mapping(uint64 version => mapping(address => bool)) internal approves;
    uint64 internal pauses;
    uint64 internal revocations;
    mapping(address => uint64) internal revokedAs;
    /// @dev What waits; an id of zero if nothing does.
    R.Proposal internal waiting;

    function _notOwner(address caller) internal view returns (bytes memory) {
        return abi.encodeWithSelector(R.NotOwner.selector, caller, owner);
    }

    function _wrong(bytes32 reason) internal pure returns (bytes memory) {
        return reason == 0 ? bytes("") : abi.encodeWithSelector(R.InvalidConfig.selector, reason);
    }

    /// @dev The brake, vetoes and blocks; the executor may only brake.
    function _isGuardian(address caller) internal view returns (bool) {
        return caller == owner || approves[version][caller];
    }

    function _waits() internal view returns (bool) {
        return version > 0 && delay > 0;
    }

    function _predictConfigure(address caller, uint64 expected, R.PolicyConfig memory c)
        internal
        view
        returns (bytes memory)
    {
        if (caller != owner) return _notOwner(caller);
        if (expected != version) {
            return abi.encodeWithSelector(R.VersionMismatch.selector, expected, version);
        }
        return _wrong(_reasonOf(c));
    }

    function _predictActivate(uint64 expected, R.PolicyConfig memory c)
        internal
        view
        returns (bytes memory)
    {
        bytes32 id = keccak256(abi.encode(expected, c));
        if (id != waiting.id) {
            return abi.encodeWithSelector(R.ProposalMismatch.selector, id, waiting.id);
        }
        uint256 from = waiting.activatesAt;
        if (block.timestamp < from) {
            return abi.encodeWithSelector(R.TooEarly.selector, block.timestamp, from);
        }
        if (block.timestamp >= from + 7 days) {
            return
                abi.encodeWithSelector(
                    R.ProposalExpired.selector, block.timestamp, from + 7 days
                );
        }
        bytes32 reason = _reasonOf(c);
        for (uint256 i = 0; reason == 0 && i < c.approvers.length; ++i) {
            if (revokedAs[c.approvers[i]] > waiting.revocationNumber) reason = "approvers.revoked";
        }
        return _wrong(reason);
    }

    function _applyPropose(uint64 expected, R.PolicyConfig memory c) internal {
        uint64 from = uint64(block.timestamp + delay);
        waiting = R.Proposal(keccak256(abi.encode(expected, c)), from, pauses, revocations);
    }

    function _applyActivate(R.PolicyConfig memory c) internal {
        bool staysPaused = p.paused && pauses > waiting.pauseNumber;
        delete waiting;
        _applyConfigure(c);
        if (staysPaused) p.paused = true;
    }

    function _applyConfigure(R.PolicyConfig memory c) internal {
        version += 1;
        if (c.paused) pauses += 1;
        window = window.change(block.timestamp, c.periodSeconds);
        p.executor = c.executor;
        p.expiresAt = c.expiresAt;
        p.automaticEnabled = c.automaticEnabled;
        p.paused = c.paused;
        p.approvedCap = c.approvedCap;
        p.automaticCap = c.automaticCap;
        p.lifetimeCap = c.lifetimeCap;
        p.reserveFloor = c.reserveFloor;
        p.periodSeconds = c.periodSeconds;
        p.periodCap = c.periodCap;
        p.automaticPeriodCap = c.automaticPeriodCap;
        delete p.tiers;
        for (uint256 i = 0; i < c.tiers.length; ++i) p.tiers.push(c.tiers[i]);
        for (uint256 i = 0; i < c.approvers.length; ++i) {
            approves[version][c.approvers[i]] = true;
        }
    }

    /// @dev The highest tier that the amount is above says how many.
    function _required(uint256 amount) internal view returns (uint256) {
        for (uint256 i = p.tiers.length; i > 0; --i) {
            if (amount > p.tiers[i - 1].above) return p.tiers[i - 1].approvals;
        }
        return 1;
    }

    function _reasonOf(R.PolicyConfig memory c) private view returns (bytes32 reason) {
        reason = _reason(c);
        if (reason == 0) reason = _periodReason(c);
        if (reason == 0) reason = _tiersReason(c);
        if (reason == 0) reason = _approversReason(c);
    }

    function _reason(R.PolicyConfig memory c) private view returns (bytes32) {
        if (c.executor == address(0)) return "executor.zero";
        if (c.executor == address(vault)) return "executor.vault";
        if (c.executor == owner) return "executor.owner";
        if (block.timestamp >= c.expiresAt) return "expiresAt.past";
        if (c.automaticCap > c.approvedCap) return "automaticCap.aboveApprovedCap";
        if (c.approvedCap > c.lifetimeCap) return "approvedCap.aboveLifetimeCap";
        if (spent > c.lifetimeCap) return "lifetimeCap.belowSpentTotal";
        return 0;
    }

    function _periodReason(R.PolicyConfig memory c) private pure returns (bytes32) {
        bool isOff = c.periodSeconds == 0;
        if (isOff && c.periodCap > 0) return "periodCap.withoutPeriod";
        if (isOff && c.automaticPeriodCap > 0) return "automaticPeriodCap.withoutPeriod";
        if (!isOff && c.periodSeconds < 3_600) return "periodSeconds.tooShort";
        if (c.periodSeconds > 31_536_000) return "periodSeconds.tooLong";
        if (c.automaticPeriodCap > c.periodCap) return "automaticPeriodCap.tooHigh";
        return 0;
    }

    function _tiersReason(R.PolicyConfig memory c) private pure returns (bytes32) {
        if (c.tiers.length > 4) return "tiers.tooMany";
        for (uint256 i = 0; i < c.tiers.length; ++i) {
            R.ApprovalTier memory tier = c.tiers[i];
            if (tier.approvals < 2) return "tiers.tooFewApprovals";
            if (tier.approvals > 8) return "tiers.tooManyApprovals";
            if (tier.approvals > c.approvers.length) return "tiers.aboveApprovers";
            if (i == 0 && c.automaticCap > tier.above) return "automaticCap.aboveTier";
            if (i == 0) continue;
            R.ApprovalTier memory last = c.tiers[i - 1];
            if (tier.above <= last.above || tier.approvals <= last.approvals) {
                return "tiers.notAscending";
            }
        }
        return 0;
    }

    function _approversReason(R.PolicyConfig memory c) private view returns (bytes32) {
        if (c.approvers.length == 0) return "approvers.none";
        if (c.approvers.length > 32) return "approvers.tooMany";
        for (uint256 i = 0; i < c.approvers.length; ++i) {
            address a = c.approvers[i];
            if (a == address(0)) return "approvers.zero";
            if (a == address(vault)) return "approvers.vault";
            if (a == address(token)) return "approvers.token";
            if (a == c.executor) return "approvers.executor";
            if (_before(c.approvers, i)) return "approvers.duplicate";
        }
        return 0;
    }

    /// @dev Whether the entry stands in the list before its own place.
    function _before(address[] memory list, uint256 place) internal pure returns (bool) {
        for (uint256 i = 0; i < place; ++i) {
            if (list[i] == list[place]) return true;
        }
        return false;
    }
}
