// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title The vault's types, events, errors and functions
/// @notice All that the service, an executor or an owner's wallet has to know of a vault.
interface ICountersignVault {
    /// @notice How a payment was authorised.
    enum Mode {
        Approved,
        Automatic
    }

    /// @notice The policy in force, without its two sets.
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
    }

    /// @notice What the owner signs: a whole policy, which replaces the one before.
    struct PolicyConfig {
        /// @dev As in `Policy`; neither zero, the vault, the owner nor on one of the two lists.
        address executor;
        /// @dev As in `Policy`; in the future.
        uint64 expiresAt;
        /// @dev As in `Policy`.
        bool automaticEnabled;
        /// @dev As in `Policy`; false releases an emergency pause.
        bool paused;
        /// @dev As in `Policy`; at most the lifetime cap.
        uint128 approvedCap;
        /// @dev As in `Policy`; at most the approved cap.
        uint128 automaticCap;
        /// @dev As in `Policy`; at least what was spent already.
        uint128 lifetimeCap;
        /// @dev As in `Policy`.
        uint128 reserveFloor;
        /// @dev 1 to 32 addresses, any one of which may approve a payment.
        address[] approvers;
        /// @dev At most 256 addresses that may be paid.
        address[] recipients;
    }

    /// @notice The vault was made, with these for ever.
    event VaultCreated(
        address indexed owner, address indexed token, bytes32 indexed organizationHash
    );

    /// @notice A new policy is in force; the log carries all of it.
    event PolicyConfigured(uint64 indexed version, address indexed executor, PolicyConfig config);

    /// @notice Payments are stopped until the owner configures a new policy.
    event EmergencyPaused(uint64 indexed version, address indexed by);

    /// @notice Money left for a recipient.
    /// @param paymentId Never seen in this event again.
    /// @param recipient Who was paid.
    /// @param mode With a signature or without.
    /// @param amount Token base units, to the last one what the recipient got.
    /// @param policyVersion The policy that allowed it.
    /// @param reportHash Hash of the analysis report.
    /// @param expenseVersionHash Hash of the expense's revision.
    /// @param approvalDigest What the approver signed; zero without a signature.
    /// @param approver Who signed; zero without a signature.
    /// @param spentTotal Sum of all payments in the vault's life, this one included.
    event PaymentExecuted(
        bytes32 indexed paymentId,
        address indexed recipient,
        Mode mode,
        uint256 amount,
        uint64 policyVersion,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        bytes32 approvalDigest,
        address approver,
        uint256 spentTotal
    );

    /// @notice A digest is void in the namespace of the one who says so.
    event ApprovalInvalidated(bytes32 indexed digest, address indexed invalidator);

    /// @notice Money came in through the vault.
    event Deposited(address indexed from, uint256 amount);

    /// @notice Money went back to the owner.
    event Withdrawn(address indexed to, uint256 amount);

    /// @notice A constructor argument is zero.
    error ZeroAddress();
    /// @notice Only the owner may do this.
    error NotOwner(address caller, address owner);
    /// @notice Only the policy's executor may do this.
    error NotExecutor(address caller, address executor);
    /// @notice Only the owner, the executor or a current approver may pull the brake.
    error NotGuardian(address caller);
    /// @notice The policy contradicts itself; the reason is a short name such as `executor.zero`.
    error InvalidConfig(bytes32 reason);
    /// @notice The chain has moved on, or has not yet come that far.
    error VersionMismatch(uint64 given, uint64 current);
    /// @notice Payments are stopped.
    error PolicyPaused();
    /// @notice The policy is over.
    error PolicyExpired(uint256 timestamp, uint64 expiresAt);
    /// @notice The payment came too late.
    error DeadlinePassed(uint256 timestamp, uint64 deadline);
    /// @notice The policy allows no payment without a signature.
    error AutomaticDisabled();
    /// @notice Nothing is not a payment.
    error ZeroAmount();
    /// @notice The payment is larger than its mode allows.
    error CapExceeded(uint256 amount, uint256 cap);
    /// @notice The vault would have paid more than it ever may.
    error LifetimeCapExceeded(uint256 spentAfter, uint256 lifetimeCap);
    /// @notice The vault would hold less than its reserve; `needed` is the payment and the reserve.
    error ReserveBreached(uint256 balance, uint256 needed);
    /// @notice The policy does not list this recipient.
    error RecipientNotAllowed(address recipient, uint64 version);
    /// @notice This payment was made already: look for it, do not repeat it.
    error PaymentAlreadyExecuted(bytes32 paymentId);
    /// @notice The policy does not list this approver.
    error ApproverNotAllowed(address approver, uint64 version);
    /// @notice The approver or the owner has taken this approval back.
    error ApprovalIsInvalidated(bytes32 digest);
    /// @notice The signature is not the approver's over exactly these fields.
    error InvalidSignature(bytes32 digest, address approver);
    /// @notice The token moved another amount than it was told to: the balance that should be there
    ///         now, and the one that is.
    error UnexpectedTokenDelta(uint256 expected, uint256 actual);

    /// @notice Replaces the policy. Owner only.
    /// @param expectedVersion The version the owner saw; another one in force refuses the call.
    /// @param config The whole new policy.
    /// @return version The new policy's version, one more than `expectedVersion`.
    function configurePolicy(uint64 expectedVersion, PolicyConfig calldata config)
        external
        returns (uint64 version);

    /// @notice Pays what an approver has signed. Executor only.
    /// @param paymentId Executes once for ever, in either mode and under any policy.
    /// @param recipient Listed in the policy in force.
    /// @param amount Token base units; at most the approved cap.
    /// @param version The policy in force, which the approver saw.
    /// @param reportHash Hash of the analysis report that the approver saw.
    /// @param expenseVersionHash Hash of the expense's revision.
    /// @param deadline Last moment of the payment (inclusive, unix seconds).
    /// @param approvalId Makes the digest of every preparation its own.
    /// @param approver Listed in the policy in force.
    /// @param signature 65 bytes of ECDSA, or whatever the approver's contract takes (ERC-1271).
    function executeApproved(
        bytes32 paymentId,
        address recipient,
        uint256 amount,
        uint64 version,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline,
        bytes32 approvalId,
        address approver,
        bytes calldata signature
    ) external;

    /// @notice Pays what the policy allows without a signature. Executor only.
    /// @param paymentId Executes once for ever, in either mode and under any policy.
    /// @param recipient Listed in the policy in force.
    /// @param amount Token base units; at most the automatic cap.
    /// @param version The policy in force.
    /// @param reportHash Hash of the clean analysis report.
    /// @param expenseVersionHash Hash of the expense's revision.
    /// @param deadline Last moment of the payment (inclusive, unix seconds).
    function executeAutomatic(
        bytes32 paymentId,
        address recipient,
        uint256 amount,
        uint64 version,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline
    ) external;

    /// @notice Voids a digest in the caller's own namespace. Only the approver's and the owner's
    ///         namespaces count, so a stranger cannot stop a payment with it.
    /// @param digest What `approvalDigest` gives for the approval.
    function invalidateApproval(bytes32 digest) external;

    /// @notice Stops all payments. Owner, executor or a current approver. Only a new policy takes
    ///         it back, also one that was signed before the brake was pulled. Withdrawals go on.
    function emergencyPause() external;

    /// @notice Brings the caller's tokens in; the vault must be approved to take them.
    /// @param amount Token base units, more than zero.
    function deposit(uint256 amount) external;

    /// @notice Sends tokens back to the owner, whatever the policy says. Owner only.
    /// @param amount Token base units, more than zero.
    function withdraw(uint256 amount) external;

    /// @notice Who may configure and withdraw; never changes.
    function owner() external view returns (address);

    /// @notice The one token of the vault; never changes.
    function token() external view returns (IERC20);

    /// @notice Salted hash of the organization's id; never changes.
    function organizationHash() external view returns (bytes32);

    /// @notice The policy in force; all zero before the first.
    function policy() external view returns (Policy memory);

    /// @notice Number of the policy in force; 0 before the first, when nothing is payable.
    function policyVersion() external view returns (uint64);

    /// @notice Sum of all payments in the vault's life; a new policy does not reset it.
    function spentTotal() external view returns (uint128);

    /// @notice Whether the policy of that version lists the approver.
    /// @param version Number of a policy, in force or not.
    /// @param approver Who may approve payments under it.
    function isApprover(uint64 version, address approver) external view returns (bool);

    /// @notice Whether the policy of that version lists the recipient.
    /// @param version Number of a policy, in force or not.
    /// @param recipient Who may be paid under it.
    function isRecipient(uint64 version, address recipient) external view returns (bool);

    /// @notice Whether the payment was made.
    /// @param paymentId The payment.
    function paymentExecuted(bytes32 paymentId) external view returns (bool);

    /// @notice Whether the digest is void in that namespace.
    /// @param invalidator Whose namespace; the approver's and the owner's count.
    /// @param digest What `approvalDigest` gives for the approval.
    function approvalInvalidated(address invalidator, bytes32 digest) external view returns (bool);

    /// @notice The EIP-712 digest that the approver signs; the arguments are those of
    ///         `executeApproved`, the vault adds its own token, organization, address and chain.
    function approvalDigest(
        bytes32 approvalId,
        address approver,
        bytes32 paymentId,
        address recipient,
        uint256 amount,
        uint64 version,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline
    ) external view returns (bytes32);
}
