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
import {PolicyRules} from "./PolicyRules.sol";

/// @title CountersignVault
/// @notice Holds one token for one organization. Money leaves it only as a payment that the policy
///         in force allows, sent by the policy's executor, or back to the owner.
/// @dev No proxy, no delegatecall, no arbitrary call, no native value, no change of owner. An owner
///      who wants rotation or several signers is a multisig.
contract CountersignVault is ICountersignVault, EIP712, ReentrancyGuard {
    using PaymentApproval for Payment;
    using SafeERC20 for IERC20;

    /// @inheritdoc ICountersignVault
    address public immutable owner;

    /// @inheritdoc ICountersignVault
    bytes32 public immutable organizationHash;

    /// @inheritdoc ICountersignVault
    IERC20 public immutable token;

    /// @dev The policy in force, without its two sets.
    Policy private _policy;

    /// @inheritdoc ICountersignVault
    uint64 public policyVersion;

    /// @inheritdoc ICountersignVault
    uint128 public spentTotal;

    /// @inheritdoc ICountersignVault
    /// @dev Keyed by version, so that a new policy replaces the set without clearing the old one.
    mapping(uint64 version => mapping(address approver => bool)) public isApprover;

    /// @inheritdoc ICountersignVault
    mapping(uint64 version => mapping(address recipient => bool)) public isRecipient;

    /// @inheritdoc ICountersignVault
    mapping(bytes32 paymentId => bool) public paymentExecuted;

    /// @inheritdoc ICountersignVault
    mapping(address invalidator => mapping(bytes32 digest => bool)) public approvalInvalidated;

    /// @dev Refuses everybody but the owner.
    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
        _;
    }

    /// @notice Makes a vault without a policy: nothing is payable until the owner configures one.
    /// @param owner_ Who may configure and withdraw.
    /// @param token_ The one token of the vault.
    /// @param organizationHash_ Salted hash of the organization's id.
    constructor(address owner_, IERC20 token_, bytes32 organizationHash_)
        EIP712("CountersignVault", "1")
    {
        if (owner_ == address(0) || address(token_) == address(0) || organizationHash_ == 0) {
            revert ZeroAddress();
        }
        owner = owner_;
        token = token_;
        organizationHash = organizationHash_;
        emit VaultCreated(owner_, address(token_), organizationHash_);
    }

    /// @inheritdoc ICountersignVault
    function configurePolicy(uint64 expectedVersion, PolicyConfig calldata config)
        external
        onlyOwner
        returns (uint64 version)
    {
        version = policyVersion;
        if (expectedVersion != version) revert VersionMismatch(expectedVersion, version);
        ++version;
        PolicyRules.check(config, owner, spentTotal);
        policyVersion = version;
        _policy = Policy({
            executor: config.executor,
            expiresAt: config.expiresAt,
            automaticEnabled: config.automaticEnabled,
            paused: config.paused,
            approvedCap: config.approvedCap,
            automaticCap: config.automaticCap,
            lifetimeCap: config.lifetimeCap,
            reserveFloor: config.reserveFloor
        });
        PolicyRules.listApprovers(isApprover[version], config, address(token));
        PolicyRules.listRecipients(isRecipient[version], config, address(token));
        emit PolicyConfigured(version, config.executor, config);
    }

    /// @inheritdoc ICountersignVault
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
    ) external nonReentrant {
        Payment memory payment = Payment(
            paymentId, recipient, amount, version, reportHash, expenseVersionHash, deadline
        );
        _checkCaller(payment.policyVersion);
        bytes32 digest = _approvalDigest(payment, approvalId, approver);
        _checkApproval(payment.policyVersion, digest, approver, signature);
        _pay(payment, _policy.approvedCap, Mode.Approved, digest, approver);
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
        _pay(payment, _policy.automaticCap, Mode.Automatic, bytes32(0), address(0));
    }

    /// @inheritdoc ICountersignVault
    function invalidateApproval(bytes32 digest) external {
        approvalInvalidated[msg.sender][digest] = true;
        emit ApprovalInvalidated(digest, msg.sender);
    }

    /// @inheritdoc ICountersignVault
    function emergencyPause() external {
        bool isGuardian = msg.sender == owner || msg.sender == _policy.executor
            || isApprover[policyVersion][msg.sender];
        if (!isGuardian) revert NotGuardian(msg.sender);
        _policy.paused = true;
        emit EmergencyPaused(policyVersion, msg.sender);
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
    function policy() external view returns (Policy memory) {
        return _policy;
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

    /// @dev A current approver, nothing taken back, and the signature over exactly this digest.
    function _checkApproval(
        uint64 version,
        bytes32 digest,
        address approver,
        bytes calldata signature
    ) private view {
        if (!isApprover[version][approver]) revert ApproverNotAllowed(approver, version);
        if (approvalInvalidated[approver][digest] || approvalInvalidated[owner][digest]) {
            revert ApprovalIsInvalidated(digest);
        }
        if (!_isSignedBy(approver, digest, signature)) revert InvalidSignature(digest, approver);
    }

    /// @dev ECDSA first: an account that delegates its code (EIP-7702) still signs with its key.
    function _isSignedBy(address approver, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool)
    {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && signer == approver) return true;
        if (approver.code.length == 0) return false;
        return SignatureChecker.isValidERC1271SignatureNowCalldata(approver, digest, signature);
    }

    /// @dev The rules of both modes in their order; the first that fails gives the error.
    ///      Gives what the vault holds before the payment.
    function _checkPayment(Payment memory payment, uint256 cap) private view returns (uint256) {
        uint64 expiresAt = _policy.expiresAt;
        if (_policy.paused) revert PolicyPaused();
        if (block.timestamp >= expiresAt) revert PolicyExpired(block.timestamp, expiresAt);
        if (block.timestamp > payment.deadline) {
            revert DeadlinePassed(block.timestamp, payment.deadline);
        }
        if (paymentExecuted[payment.paymentId]) revert PaymentAlreadyExecuted(payment.paymentId);
        if (payment.amount == 0) revert ZeroAmount();
        if (payment.amount > cap) revert CapExceeded(payment.amount, cap);
        if (!isRecipient[payment.policyVersion][payment.recipient]) {
            revert RecipientNotAllowed(payment.recipient, payment.policyVersion);
        }
        uint256 spentAfter = spentTotal + payment.amount;
        if (spentAfter > _policy.lifetimeCap) {
            revert LifetimeCapExceeded(spentAfter, _policy.lifetimeCap);
        }
        uint256 balance = token.balanceOf(address(this));
        uint256 needed = payment.amount + _policy.reserveFloor;
        if (balance < needed) revert ReserveBreached(balance, needed);
        return balance;
    }

    /// @dev Checks, effects, event, the one outside call, and a look at what it did on both sides.
    function _pay(Payment memory payment, uint256 cap, Mode mode, bytes32 digest, address approver)
        private
    {
        uint256 balance = _checkPayment(payment, cap);
        paymentExecuted[payment.paymentId] = true;
        // Not more than the lifetime cap, which is a uint128.
        spentTotal += uint128(payment.amount);
        emit PaymentExecuted(
            payment.paymentId,
            payment.recipient,
            mode,
            payment.amount,
            payment.policyVersion,
            payment.reportHash,
            payment.expenseVersionHash,
            digest,
            approver,
            spentTotal
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
