// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title What a vault keeps, logs and refuses with
/// @notice The types, events and errors of `ICountersignVault`.
interface IVaultRecords {
    /// @notice How a payment was authorised.
    enum Mode {
        Approved,
        Automatic
    }

    /// @notice Payments above an amount need several approvers.
    struct ApprovalTier {
        /// @dev Larger payments than this belong to the tier (exclusive, token base units).
        uint128 above;
        /// @dev How many different approvers such a payment needs.
        uint8 approvals;
    }

    /// @notice The policy in force, without its approvers.
    struct Policy {
        /// @dev The only address that may send payments.
        address executor;
        /// @dev Last moment of the policy (exclusive, unix seconds).
        uint64 expiresAt;
        /// @dev Whether payments without a signature are possible at all.
        bool automaticEnabled;
        /// @dev Whether every payment is refused.
        bool paused;
        /// @dev Largest approved payment (inclusive, token base units).
        uint128 approvedCap;
        /// @dev Largest automatic payment (inclusive, token base units).
        uint128 automaticCap;
        /// @dev Largest sum of all payments in the vault's life (inclusive, token base units).
        uint128 lifetimeCap;
        /// @dev What must be left after every payment (inclusive, token base units).
        uint128 reserveFloor;
        /// @dev Length of a spending period; 0 without one.
        uint32 periodSeconds;
        /// @dev Largest sum of all payments in one period (inclusive, token base units).
        uint128 periodCap;
        /// @dev Largest sum of automatic payments in one period (inclusive, token base units).
        uint128 automaticPeriodCap;
        /// @dev Ascending; without a matching tier one approver is enough.
        ApprovalTier[] tiers;
    }

    /// @notice What the owner signs: a whole policy, which replaces the one before.
    struct PolicyConfig {
        /// @dev As in `Policy`; neither zero, the vault, the owner nor an approver.
        address executor;
        /// @dev As in `Policy`; in the future.
        uint64 expiresAt;
        /// @dev As in `Policy`.
        bool automaticEnabled;
        /// @dev As in `Policy`; false releases a pause, but none made after a proposal.
        bool paused;
        /// @dev As in `Policy`; at most the lifetime cap.
        uint128 approvedCap;
        /// @dev As in `Policy`; at most the approved cap and where the first tier begins.
        uint128 automaticCap;
        /// @dev As in `Policy`; at least what was spent already.
        uint128 lifetimeCap;
        /// @dev As in `Policy`.
        uint128 reserveFloor;
        /// @dev As in `Policy`; 0, or an hour to 365 days.
        uint32 periodSeconds;
        /// @dev As in `Policy`; 0 without a period.
        uint128 periodCap;
        /// @dev As in `Policy`; at most the period cap.
        uint128 automaticPeriodCap;
        /// @dev As in `Policy`; at most 4, of 2 to 8 approvers each.
        ApprovalTier[] tiers;
        /// @dev 1 to 32 addresses that may approve payments.
        address[] approvers;
    }

    /// @notice One signature of an approved payment.
    struct Approval {
        /// @dev Makes the digest of every preparation its own.
        bytes32 approvalId;
        /// @dev Listed in the policy in force.
        address approver;
        /// @dev 65 bytes of ECDSA, or whatever the approver's contract takes (ERC-1271).
        bytes signature;
    }

    /// @notice What the vault knows of an address that may be paid.
    struct Recipient {
        /// @dev When it can first be paid (unix seconds); 0 if it is not listed.
        uint64 allowedFrom;
        /// @dev Whether it was blocked, listed or not.
        bool blocked;
    }

    /// @notice A policy that waits, without its content.
    struct Proposal {
        /// @dev Hash of the expected version and the policy; zero if nothing waits.
        bytes32 id;
        /// @dev First moment at which it can be activated (unix seconds).
        uint64 activatesAt;
        /// @dev Number of the last pause before it; it lifts no later one.
        uint64 pauseNumber;
        /// @dev Number of the last revocation before it; it takes none back that came later.
        uint64 revocationNumber;
    }

    /// @notice The vault was deployed. None of these ever changes.
    event VaultCreated(
        address indexed owner,
        address indexed token,
        bytes32 indexed organizationHash,
        uint32 changeDelaySeconds
    );

    /// @notice A new policy is in force; the log carries all of it.
    event PolicyConfigured(uint64 indexed version, address indexed executor, PolicyConfig config);

    /// @notice A policy waits; it replaces one that waited before.
    /// @param proposal Its id.
    /// @param expectedVersion The policy in force, which it is to replace.
    /// @param activatesAt First moment at which anybody can activate it (unix seconds).
    /// @param config All of it.
    event PolicyProposed(
        bytes32 indexed proposal,
        uint64 indexed expectedVersion,
        uint64 activatesAt,
        PolicyConfig config
    );

    /// @notice A policy that waited is void.
    event PolicyVetoed(bytes32 indexed proposal, address indexed by);

    /// @notice The list of recipients changed.
    /// @param version Number of the list after the change.
    /// @param allowedFrom When the added can first be paid (unix seconds).
    /// @param added Now listed.
    /// @param removed No longer listed, at once.
    event RecipientsChanged(
        uint64 indexed version, uint64 allowedFrom, address[] added, address[] removed
    );

    /// @notice The recipient is not paid until the owner lifts the block.
    event RecipientBlocked(address indexed recipient, address indexed by);

    /// @notice The block of the recipient is lifted.
    event RecipientUnblocked(address indexed recipient);

    /// @notice The approver no longer counts under this policy.
    event ApproverRevoked(uint64 indexed version, address indexed approver);

    /// @notice Payments are stopped until the owner lifts the pause or configures a new policy.
    event EmergencyPaused(uint64 indexed version, address indexed by, uint64 pauseNumber);

    /// @notice The owner lifted the pause.
    event Unpaused(uint64 indexed version, uint64 pauseNumber);

    /// @notice A recipient was paid.
    /// @param paymentId Paid once; no other event repeats it.
    /// @param recipient Who was paid.
    /// @param mode With signatures or without.
    /// @param amount Token base units, exactly as the recipient received them.
    /// @param policyVersion The policy that allowed it.
    /// @param reportHash Hash of the analysis report.
    /// @param expenseVersionHash Hash of the expense's revision.
    /// @param approvalDigests What each approver signed; empty without a signature.
    /// @param approvers Who signed, in the same order, ascending.
    /// @param spentTotal Sum of all payments in the vault's life, this one included.
    event PaymentExecuted(
        bytes32 indexed paymentId,
        address indexed recipient,
        Mode mode,
        uint256 amount,
        uint64 policyVersion,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        bytes32[] approvalDigests,
        address[] approvers,
        uint256 spentTotal
    );

    /// @notice The sender invalidated a digest; counts if it is the approver or the owner.
    event ApprovalInvalidated(bytes32 indexed digest, address indexed invalidator);

    /// @notice Somebody deposited tokens.
    event Deposited(address indexed from, uint256 amount);

    /// @notice The owner withdrew tokens.
    event Withdrawn(address indexed to, uint256 amount);

    /// @notice Tokens of another kind, sent here by mistake, went to the owner.
    event Rescued(address indexed token, uint256 amount);

    /// @notice A constructor argument is zero.
    error ZeroAddress();
    /// @notice Only the owner may do this.
    error NotOwner(address caller, address owner);
    /// @notice Only the policy's executor may do this.
    error NotExecutor(address caller, address executor);
    /// @notice Only the owner, a current approver or, to pause, the executor may do this.
    error NotGuardian(address caller);
    /// @notice The change contradicts itself; the reason is a short name such as `executor.zero`.
    error InvalidConfig(bytes32 reason);
    /// @notice Another version of the policy is in force.
    error VersionMismatch(uint64 given, uint64 current);
    /// @notice The list of recipients has another version.
    error RecipientsVersionMismatch(uint64 given, uint64 current);
    /// @notice This policy does not wait: it was never proposed, or is void or in force.
    error ProposalMismatch(bytes32 given, bytes32 current);
    /// @notice The policy has to wait longer.
    error TooEarly(uint256 timestamp, uint64 activatesAt);
    /// @notice The policy has waited too long and is void.
    error ProposalExpired(uint256 timestamp, uint256 expiredAt);
    /// @notice Another pause is in force than the one to be lifted, or none.
    error PauseMismatch(uint64 given, uint64 current);
    /// @notice Payments are stopped.
    error PolicyPaused();
    /// @notice The policy has expired.
    error PolicyExpired(uint256 timestamp, uint64 expiresAt);
    /// @notice The payment's deadline has passed.
    error DeadlinePassed(uint256 timestamp, uint64 deadline);
    /// @notice The policy allows no payment without a signature.
    error AutomaticDisabled();
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The payment is larger than its mode allows.
    error CapExceeded(uint256 amount, uint256 cap);
    /// @notice The vault would have paid more than it ever may.
    error LifetimeCapExceeded(uint256 spentAfter, uint256 lifetimeCap);
    /// @notice The vault would have paid more than it may in this period.
    error PeriodCapExceeded(uint256 spentAfter, uint256 cap, uint256 periodEndsAt);
    /// @notice The vault would have paid more without a signature than it may in this period.
    error AutomaticPeriodCapExceeded(uint256 spentAfter, uint256 cap, uint256 periodEndsAt);
    /// @notice The vault would hold less than its reserve; `needed` is the payment and the reserve.
    error ReserveBreached(uint256 balance, uint256 needed);
    /// @notice The recipient is not listed, or not yet allowed.
    error RecipientNotAllowed(address recipient, uint64 allowedFrom);
    /// @notice The recipient is blocked.
    error RecipientIsBlocked(address recipient);
    /// @notice The recipient is the executor or an approver of the policy in force.
    error RecipientHasRole(address recipient);
    /// @notice This payment was made already: look for it, do not repeat it.
    error PaymentAlreadyExecuted(bytes32 paymentId);
    /// @notice The payment carries more or fewer signatures than its amount needs.
    error ApprovalCountMismatch(uint256 given, uint256 required);
    /// @notice The approver is not above the one before: the order is wrong, or it counts twice.
    error ApproversNotAscending(address approver);
    /// @notice The policy does not list this approver.
    error ApproverNotAllowed(address approver, uint64 version);
    /// @notice The approver or the owner has invalidated this approval.
    error ApprovalIsInvalidated(bytes32 digest);
    /// @notice The signature is not the approver's over exactly these fields.
    error InvalidSignature(bytes32 digest, address approver);
    /// @notice The token moved a different amount than it should have: the expected balance, and
    ///         the actual one.
    error UnexpectedTokenDelta(uint256 expected, uint256 actual);
    /// @notice The vault's own token leaves by payments and withdrawals alone.
    error OwnToken();
}
