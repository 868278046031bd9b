// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IVaultRecords} from "./IVaultRecords.sol";

/// @title The vault's functions
/// @notice All that the service, an executor or an owner's wallet has to know of a vault.
interface ICountersignVault is IVaultRecords {
    /// @notice Replaces the policy, or proposes to where changes have to wait. A vault's first
    ///         policy never waits. Owner only.
    /// @param expectedVersion The version the owner saw; another one in force refuses the call.
    /// @param config The whole new policy.
    function configurePolicy(uint64 expectedVersion, PolicyConfig calldata config) external;

    /// @notice Both changes in one call, the policy first: sets up a vault with one signature.
    ///         Owner only.
    /// @param expectedVersion As in `configurePolicy`.
    /// @param config As in `configurePolicy`.
    /// @param expectedRecipientsVersion As in `changeRecipients`.
    /// @param add As in `changeRecipients`.
    /// @param remove As in `changeRecipients`.
    function configurePolicyAndRecipients(
        uint64 expectedVersion,
        PolicyConfig calldata config,
        uint64 expectedRecipientsVersion,
        address[] calldata add,
        address[] calldata remove
    ) external;

    /// @notice Puts a policy into force that has waited long enough. Anybody.
    /// @param expectedVersion As proposed.
    /// @param config As proposed; every rule is checked again.
    function activatePolicy(uint64 expectedVersion, PolicyConfig calldata config) external;

    /// @notice Voids the policy that waits. Owner or a current approver.
    /// @param id The proposal, so that nobody vetoes one that they have not seen.
    function veto(bytes32 id) external;

    /// @notice Adds and removes recipients; the policy stays, and so do signatures that wait.
    ///         Owner only.
    /// @param expectedRecipientsVersion The list the owner saw; another one refuses the call.
    /// @param add Not listed yet; payable after the vault's delay, at once before its first policy.
    /// @param remove Listed; no longer payable, at once.
    function changeRecipients(
        uint64 expectedRecipientsVersion,
        address[] calldata add,
        address[] calldata remove
    ) external;

    /// @notice Stops payments to one address, at once, listed or not. Owner or a current
    ///         approver.
    /// @param recipient Listed or not.
    function blockRecipient(address recipient) external;

    /// @notice Lifts a block. Owner only.
    /// @param recipient Blocked before.
    function unblockRecipient(address recipient) external;

    /// @notice Removes an approver from the policy in force, at once. A tier may then ask for more
    ///         approvers than there are; it pays nothing until a new policy. Owner only.
    /// @param approver Listed in the policy in force.
    function revokeApprover(address approver) external;

    /// @notice Stops all payments. Owner, executor or a current approver. Withdrawals go on.
    function emergencyPause() external;

    /// @notice Lifts a pause, at once. Owner only.
    /// @param number The pause the owner saw: a later one stays.
    function unpause(uint64 number) external;

    /// @notice Pays what approvers have signed. Executor only.
    /// @param paymentId Executes once for ever, in either mode and under any policy.
    /// @param recipient Listed, not blocked, and without a role in the policy in force.
    /// @param amount Token base units; at most the approved cap.
    /// @param version The policy in force, which the approvers saw.
    /// @param reportHash Hash of the analysis report that the approvers saw.
    /// @param expenseVersionHash Hash of the expense's revision.
    /// @param deadline Last moment of the payment (inclusive, unix seconds).
    /// @param approvals `abi.encode(Approval[])`, ascending by approver, exactly as many as the
    ///        amount needs.
    function executeApproved(
        bytes32 paymentId,
        address recipient,
        uint256 amount,
        uint64 version,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline,
        bytes calldata approvals
    ) external;

    /// @notice Pays what the policy allows without a signature. Executor only.
    /// @param paymentId Executes once for ever, in either mode and under any policy.
    /// @param recipient Listed, not blocked, and without a role in the policy in force.
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

    /// @notice Brings the caller's tokens in; the vault must be approved to take them.
    /// @param amount Token base units, more than zero.
    function deposit(uint256 amount) external;

    /// @notice Sends tokens back to the owner, whatever the policy says. Owner only.
    /// @param amount Token base units, more than zero.
    function withdraw(uint256 amount) external;

    /// @notice Sends another token, which somebody sent here by mistake, to the owner. Owner only.
    /// @param other Any token but the vault's own.
    /// @param amount Its base units.
    function rescue(IERC20 other, uint256 amount) external;

    /// @notice Who may configure and withdraw; never changes.
    function owner() external view returns (address);

    /// @notice The one token of the vault; never changes.
    function token() external view returns (IERC20);

    /// @notice Salted hash of the organization's id; never changes.
    function organizationHash() external view returns (bytes32);

    /// @notice How long policies and new recipients wait; 0 if they need not. Never changes.
    function changeDelaySeconds() external view returns (uint32);

    /// @notice The policy in force; all zero before the first.
    function policy() external view returns (Policy memory);

    /// @notice Number of the policy in force; 0 before the first, when nothing is payable.
    function policyVersion() external view returns (uint64);

    /// @notice The policy that waits; all zero if none does.
    function proposal() external view returns (Proposal memory);

    /// @notice Number of pauses so far.
    function pauseNumber() external view returns (uint64);

    /// @notice Sum of all payments in the vault's life; a new policy does not reset it.
    function spentTotal() external view returns (uint128);

    /// @notice What was paid in the period of this moment; days while no period is configured.
    /// @return total In both modes.
    /// @return automatic Without a signature.
    /// @return endsAt First moment of the next period (unix seconds).
    function spentInPeriod()
        external
        view
        returns (uint128 total, uint128 automatic, uint256 endsAt);

    /// @notice How many different approvers a payment needs under the policy in force.
    /// @param amount Token base units.
    function requiredApprovals(uint256 amount) external view returns (uint256);

    /// @notice Whether the policy of that version is in force and lists the approver, who was not
    ///         revoked. Signatures under another version are void.
    /// @param version Number of the policy in force.
    /// @param approver Who may approve payments under it.
    function isApprover(uint64 version, address approver) external view returns (bool);

    /// @notice Version of the list of recipients; 0 until its first change.
    function recipientsVersion() external view returns (uint64);

    /// @notice What the vault knows of an address.
    /// @param account Listed or not.
    function recipientOf(address account) external view returns (Recipient memory);

    /// @notice Whether the payment was made.
    /// @param paymentId The payment.
    function paymentExecuted(bytes32 paymentId) external view returns (bool);

    /// @notice Whether the digest is void in that namespace.
    /// @param invalidator Whose namespace; the approver's and the owner's count.
    /// @param digest What `approvalDigest` gives for the approval.
    function approvalInvalidated(address invalidator, bytes32 digest) external view returns (bool);

    /// @notice The EIP-712 digest that the approver signs; the vault adds its own token,
    ///         organization, address and chain.
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
