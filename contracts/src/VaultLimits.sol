// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICountersignVault} from "./ICountersignVault.sol";
import {PolicyRules} from "./PolicyRules.sol";

/// @title What the policy in force limits
/// @notice The vault's constants, its policy, and the sums that are compared with it.
abstract contract VaultLimits is ICountersignVault {
    /// @dev Longest time that changes may have to wait.
    uint256 private constant DELAY_MAX = 7 days;

    /// @dev Length of the periods in which payments are counted while none is configured.
    uint256 private constant DEFAULT_PERIOD = 1 days;

    /// @dev The number of no period: what was counted before is over.
    uint32 private constant NO_PERIOD = type(uint32).max;

    /// @dev The policy in force, packed by what payments read together.
    struct StoredPolicy {
        address executor;
        uint64 expiresAt;
        bool automaticEnabled;
        bool paused;
        uint8 tierCount;
        uint128 approvedCap;
        uint128 automaticCap;
        uint128 lifetimeCap;
        uint128 reserveFloor;
        uint128 periodCap;
        uint128 automaticPeriodCap;
    }

    /// @dev All that the vault knows of an address, in one slot: a payment reads its recipient's
    ///      rights and roles together.
    struct Account {
        uint64 allowedFrom;
        bool blocked;
        /// @dev The last policy that lists it as an approver; 0 if none does, or it was revoked.
        uint64 approverOf;
        /// @dev Number of its last revocation as an approver.
        uint64 revokedAs;
    }

    /// @inheritdoc ICountersignVault
    address public immutable owner;

    /// @inheritdoc ICountersignVault
    bytes32 public immutable organizationHash;

    /// @inheritdoc ICountersignVault
    IERC20 public immutable token;

    /// @inheritdoc ICountersignVault
    uint32 public immutable changeDelaySeconds;

    StoredPolicy internal _policy;

    /// @inheritdoc ICountersignVault
    uint64 public policyVersion;

    /// @inheritdoc ICountersignVault
    uint128 public spentTotal;

    /// @dev Number of the period in which the two sums below were paid. Periods have at least an
    ///      hour, so 32 bits are enough.
    uint32 private _period;

    /// @dev Of the policy in force. Here, and not in it, because payments read this slot anyway.
    uint32 private _periodSeconds;

    uint128 private _periodTotal;

    uint128 private _periodAutomatic;

    /// @dev Of the policy in force; only the first `tierCount` are used.
    ApprovalTier[4] private _tiers;

    mapping(address account => Account) internal _accounts;

    /// @dev Refuses everybody but the owner.
    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
        _;
    }

    /// @dev Refuses everybody but the owner and the current approvers.
    modifier onlyOwnerOrApprover() {
        if (msg.sender != owner && !_isApprover(msg.sender)) {
            revert NotGuardian(msg.sender);
        }
        _;
    }

    constructor(address owner_, IERC20 token_, bytes32 organizationHash_, uint32 delay) {
        if (owner_ == address(0) || address(token_) == address(0) || organizationHash_ == 0) {
            revert ZeroAddress();
        }
        PolicyRules.require_(delay <= DELAY_MAX, "changeDelaySeconds.tooLong");
        owner = owner_;
        token = token_;
        organizationHash = organizationHash_;
        changeDelaySeconds = delay;
        emit VaultCreated(owner_, address(token_), organizationHash_, delay);
    }

    /// @inheritdoc ICountersignVault
    function policy() external view returns (Policy memory) {
        StoredPolicy memory stored = _policy;
        ApprovalTier[] memory tiers = new ApprovalTier[](stored.tierCount);
        for (uint256 i = 0; i < tiers.length; ++i) {
            tiers[i] = _tiers[i];
        }
        return Policy({
            executor: stored.executor,
            expiresAt: stored.expiresAt,
            automaticEnabled: stored.automaticEnabled,
            paused: stored.paused,
            approvedCap: stored.approvedCap,
            automaticCap: stored.automaticCap,
            lifetimeCap: stored.lifetimeCap,
            reserveFloor: stored.reserveFloor,
            periodSeconds: _periodSeconds,
            periodCap: stored.periodCap,
            automaticPeriodCap: stored.automaticPeriodCap,
            tiers: tiers
        });
    }

    /// @inheritdoc ICountersignVault
    function spentInPeriod()
        external
        view
        returns (uint128 total, uint128 automatic, uint256 endsAt)
    {
        uint256 length = _lengthOf(_periodSeconds);
        uint256 current = block.timestamp / length;
        if (current == _period) (total, automatic) = (_periodTotal, _periodAutomatic);
        endsAt = (current + 1) * length;
    }

    /// @inheritdoc ICountersignVault
    function isApprover(uint64 version, address approver) external view returns (bool) {
        return version == policyVersion && _isApprover(approver);
    }

    /// @inheritdoc ICountersignVault
    function requiredApprovals(uint256 amount) public view returns (uint256 required) {
        required = 1;
        uint256 count = _policy.tierCount;
        for (uint256 i = 0; i < count; ++i) {
            ApprovalTier memory tier = _tiers[i];
            if (amount <= tier.above) break;
            required = tier.approvals;
        }
    }

    /// @dev Approvers carry the number of their policy, so that a new one replaces them all without
    ///      clearing anything. Before the first policy there are none.
    function _isApprover(address account) internal view returns (bool) {
        uint64 version = policyVersion;
        return version != 0 && _accounts[account].approverOf == version;
    }

    /// @dev Adds a payment to all sums, or refuses it: lifetime first, then the period.
    ///      Returns what the vault has paid in its life.
    function _spend(uint256 amount, bool isAutomatic) internal returns (uint128) {
        uint256 spentAfter = spentTotal + amount;
        if (spentAfter > _policy.lifetimeCap) {
            revert LifetimeCapExceeded(spentAfter, _policy.lifetimeCap);
        }
        uint256 length = _lengthOf(_periodSeconds);
        uint256 current = block.timestamp / length;
        (uint256 total, uint256 automatic) =
            current == _period ? (_periodTotal, _periodAutomatic) : (uint128(0), uint128(0));
        total += amount;
        if (isAutomatic) automatic += amount;
        if (_periodSeconds != 0) {
            uint256 endsAt = (current + 1) * length;
            if (total > _policy.periodCap) {
                revert PeriodCapExceeded(total, _policy.periodCap, endsAt);
            }
            if (isAutomatic && automatic > _policy.automaticPeriodCap) {
                revert AutomaticPeriodCapExceeded(automatic, _policy.automaticPeriodCap, endsAt);
            }
        }
        // No sum is above the lifetime cap, which is a uint128.
        (spentTotal, _period) = (uint128(spentAfter), uint32(current));
        (_periodTotal, _periodAutomatic) = (uint128(total), uint128(automatic));
        return uint128(spentAfter);
    }

    /// @dev Puts a policy that was checked in the place of the one before.
    function _setLimits(uint64 version, PolicyConfig calldata config, bool paused) internal {
        policyVersion = version;
        _carryPeriod(config.periodSeconds);
        _policy = StoredPolicy({
            executor: config.executor,
            expiresAt: config.expiresAt,
            automaticEnabled: config.automaticEnabled,
            paused: paused,
            tierCount: uint8(config.tiers.length),
            approvedCap: config.approvedCap,
            automaticCap: config.automaticCap,
            lifetimeCap: config.lifetimeCap,
            reserveFloor: config.reserveFloor,
            periodCap: config.periodCap,
            automaticPeriodCap: config.automaticPeriodCap
        });
        for (uint256 i = 0; i < config.tiers.length; ++i) {
            _tiers[i] = config.tiers[i];
        }
    }

    /// @dev What an unfinished period has spent counts in the current period of the new length, so
    ///      that a new policy is no way around a cap.
    function _carryPeriod(uint32 periodSeconds) private {
        bool isUnfinished = block.timestamp / _lengthOf(_periodSeconds) == _period;
        _period =
            isUnfinished ? uint32(block.timestamp / _lengthOf(periodSeconds)) : NO_PERIOD;
        _periodSeconds = periodSeconds;
    }

    function _lengthOf(uint32 periodSeconds) private pure returns (uint256) {
        return periodSeconds == 0 ? DEFAULT_PERIOD : periodSeconds;
    }
}
