// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {ICountersignVault} from "./ICountersignVault.sol";
import {Payment, PaymentApproval} from "./PaymentApproval.sol";
import {VaultLimits} from "./VaultLimits.sol";
import {VaultRecipients} from "./VaultRecipients.sol";

/// @title CountersignVault
/// @notice Holds one token for one organization. Money leaves it only as a payment that the policy
///         in force allows, sent by the policy's executor, or back to the owner.
/// @dev No proxy, no delegatecall, no arbitrary call, no native value, no change of owner. An owner
///      who wants rotation or several signers is a multisig.
contract CountersignVault is VaultRecipients, EIP712, ReentrancyGuard {
    using PaymentApproval for Payment;
    using SafeERC20 for IERC20;

    /// @inheritdoc ICountersignVault
    mapping(bytes32 paymentId => bool) public paymentExecuted;

    /// @inheritdoc ICountersignVault
    mapping(address invalidator => mapping(bytes32 digest => bool)) public approvalInvalidated;

    /// @notice Makes a vault without a policy: nothing is payable until the owner configures one.
    /// @param owner_ Who may configure and withdraw.
    /// @param token_ The one token of the vault.
    /// @param organizationHash_ Salted hash of the organization's id.
    /// @param changeDelaySeconds_ How long policies and new recipients wait; at most 7 days.
    constructor(
        address owner_,
        IERC20 token_,
        bytes32 organizationHash_,
        uint32 changeDelaySeconds_
    )
        VaultLimits(owner_, token_, organizationHash_, changeDelaySeconds_)
        EIP712("CountersignVault", "1")
    {}

    /// @inheritdoc ICountersignVault
    function executeApproved(
        bytes32 paymentId,
        address recipient,
        uint256 amount,
        uint64 version,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline,
        bytes calldata approvals
    ) external nonReentrant {
        Payment memory payment = Payment(
            paymentId, recipient, amount, version, reportHash, expenseVersionHash, deadline
        );
        _checkCaller(payment.policyVersion);
        (bytes32[] memory digests, address[] memory approvers) =
            _checkApprovals(payment, abi.decode(approvals, (Approval[])));
        _pay(payment, _policy.approvedCap, Mode.Approved, digests, approvers);
    }

    /// @inheritdoc ICountersignVault
    function executeAutomatic(
        bytes32 paymentId,
        address recipient,
        uint256 amount,
        uint64 version,
        bytes32 reportHash,
        bytes32 expenseVersionHash,
        uint64 deadline
    ) external nonReentrant {
        Payment memory payment = Payment(
            paymentId, recipient, amount, version, reportHash, expenseVersionHash, deadline
        );
        _checkCaller(payment.policyVersion);
        if (!_policy.automaticEnabled) revert AutomaticDisabled();
        _pay(payment, _policy.automaticCap, Mode.Automatic, new bytes32[](0), new address[](0));
    }

    /// @inheritdoc ICountersignVault
    function invalidateApproval(bytes32 digest) external {
        approvalInvalidated[msg.sender][digest] = true;
        emit ApprovalInvalidated(digest, msg.sender);
    }

    /// @inheritdoc ICountersignVault
    function deposit(uint256 amount) external nonReentrant {
        if (amount == 0) revert ZeroAmount();
        uint256 balance = token.balanceOf(address(this));
        emit Deposited(msg.sender, amount);
        token.safeTransferFrom(msg.sender, address(this), amount);
        _requireBalance(address(this), balance + amount);
    }

    /// @inheritdoc ICountersignVault
    /// @dev No balance is compared: the way out must work with whatever the token has become.
    function withdraw(uint256 amount) external onlyOwner nonReentrant {
        if (amount == 0) revert ZeroAmount();
        emit Withdrawn(owner, amount);
        token.safeTransfer(owner, amount);
    }

    /// @inheritdoc ICountersignVault
    function rescue(IERC20 other, uint256 amount) external onlyOwner nonReentrant {
        if (address(other) == address(token)) revert OwnToken();
        if (amount == 0) revert ZeroAmount();
        uint256 balance = token.balanceOf(address(this));
        emit Rescued(address(other), amount);
        other.safeTransfer(owner, amount);
        _requireBalance(address(this), balance);
    }

    /// @inheritdoc ICountersignVault
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
    ) external view returns (bytes32) {
        Payment memory payment = Payment(
            paymentId, recipient, amount, version, reportHash, expenseVersionHash, deadline
        );
        return _approvalDigest(payment, approvalId, approver);
    }

    /// @dev Access first, then the version: a stale call says that it is stale and nothing else.
    function _checkCaller(uint64 version) private view {
        if (msg.sender != _policy.executor) revert NotExecutor(msg.sender, _policy.executor);
        if (version != policyVersion) revert VersionMismatch(version, policyVersion);
    }

    /// @dev Exactly as many different approvers as the amount needs; ascending, so that none counts
    ///      twice.
    function _checkApprovals(Payment memory payment, Approval[] memory approvals)
        private
        view
        returns (bytes32[] memory digests, address[] memory approvers)
    {
        uint256 required = requiredApprovals(payment.amount);
        if (approvals.length != required) {
            revert ApprovalCountMismatch(approvals.length, required);
        }
        digests = new bytes32[](required);
        approvers = new address[](required);
        address before = address(0);
        for (uint256 i = 0; i < required; ++i) {
            Approval memory approval = approvals[i];
            if (approval.approver <= before) revert ApproversNotAscending(approval.approver);
            before = approval.approver;
            digests[i] = _approvalDigest(payment, approval.approvalId, before);
            approvers[i] = before;
            _checkApproval(payment.policyVersion, digests[i], before, approval.signature);
        }
    }

    /// @dev A current approver, nothing taken back, and the signature over exactly this digest.
    function _checkApproval(
        uint64 version,
        bytes32 digest,
        address approver,
        bytes memory signature
    ) private view {
        if (!_isApprover(approver)) revert ApproverNotAllowed(approver, version);
        if (approvalInvalidated[approver][digest] || approvalInvalidated[owner][digest]) {
            revert ApprovalIsInvalidated(digest);
        }
        if (!_isSignedBy(approver, digest, signature)) revert InvalidSignature(digest, approver);
    }

    /// @dev ECDSA first: an account that delegates its code (EIP-7702) still signs with its key.
    function _isSignedBy(address approver, bytes32 digest, bytes memory signature)
        private
        view
        returns (bool)
    {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && signer == approver) return true;
        if (approver.code.length == 0) return false;
        return SignatureChecker.isValidERC1271SignatureNow(approver, digest, signature);
    }

    /// @dev The rules of both modes in their order, up to the sums; the first that fails gives the
    ///      error.
    function _checkPayment(Payment memory payment, uint256 cap) private view {
        uint64 expiresAt = _policy.expiresAt;
        if (_policy.paused) revert PolicyPaused();
        if (block.timestamp >= expiresAt) revert PolicyExpired(block.timestamp, expiresAt);
        if (block.timestamp > payment.deadline) {
            revert DeadlinePassed(block.timestamp, payment.deadline);
        }
        if (paymentExecuted[payment.paymentId]) revert PaymentAlreadyExecuted(payment.paymentId);
        if (payment.amount == 0) revert ZeroAmount();
        if (payment.amount > cap) revert CapExceeded(payment.amount, cap);
        _requirePayable(payment.recipient);
    }

    /// @dev Checks, effects, event, the one outside call, and a look at what it did on both sides.
    function _pay(
        Payment memory payment,
        uint256 cap,
        Mode mode,
        bytes32[] memory digests,
        address[] memory approvers
    ) private {
        _checkPayment(payment, cap);
        uint128 spent = _spend(payment.amount, mode == Mode.Automatic);
        uint256 balance = token.balanceOf(address(this));
        uint256 needed = payment.amount + _policy.reserveFloor;
        if (balance < needed) revert ReserveBreached(balance, needed);
        paymentExecuted[payment.paymentId] = true;
        emit PaymentExecuted(
            payment.paymentId,
            payment.recipient,
            mode,
            payment.amount,
            payment.policyVersion,
            payment.reportHash,
            payment.expenseVersionHash,
            digests,
            approvers,
            spent
        );
        uint256 received = token.balanceOf(payment.recipient) + payment.amount;
        token.safeTransfer(payment.recipient, payment.amount);
        _requireBalance(address(this), balance - payment.amount);
        _requireBalance(payment.recipient, received);
    }

    /// @dev The token did what it was told, to the last unit.
    function _requireBalance(address account, uint256 expected) private view {
        uint256 actual = token.balanceOf(account);
        if (actual != expected) revert UnexpectedTokenDelta(expected, actual);
    }

    /// @dev The message joined with this vault's domain.
    function _approvalDigest(Payment memory payment, bytes32 approvalId, address approver)
        private
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(
            payment.structHash(approvalId, approver, organizationHash, address(token))
        );
    }
}
