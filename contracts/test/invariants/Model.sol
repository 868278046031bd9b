// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Order} from "../base/Order.sol";
import {OddToken} from "../mocks/OddToken.sol";

/// @notice What the design says that a vault does, written a second time without its code.
/// @dev Every prediction is the error that a call must end with, nothing when it must succeed.
///      A token that reverts without a word is predicted as `SILENT`.
abstract contract Model {
    bytes internal constant SILENT = "silent";

    V internal vault;
    OddToken internal token;
    address internal owner;

    R.Policy internal p;
    uint64 internal version;
    uint256 internal spent;
    mapping(uint64 version => mapping(address => bool)) internal approves;
    mapping(uint64 version => mapping(address => bool)) internal receives;
    mapping(bytes32 paymentId => uint256) internal timesPaid;
    mapping(address => mapping(bytes32 digest => bool)) internal voided;

    function _predictConfigure(address caller, uint64 expected, R.PolicyConfig memory c)
        internal
        view
        returns (bytes memory)
    {
        if (caller != owner) return abi.encodeWithSelector(R.NotOwner.selector, caller, owner);
        if (expected != version) {
            return abi.encodeWithSelector(R.VersionMismatch.selector, expected, version);
        }
        bytes32 reason = _reason(c);
        if (reason == 0) reason = _approversReason(c);
        if (reason == 0) reason = _recipientsReason(c);
        return reason == 0 ? bytes("") : abi.encodeWithSelector(R.InvalidConfig.selector, reason);
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

    function _recipientsReason(R.PolicyConfig memory c) private view returns (bytes32) {
        if (c.recipients.length > 256) return "recipients.tooMany";
        for (uint256 i = 0; i < c.recipients.length; ++i) {
            address r = c.recipients[i];
            if (r == address(0)) return "recipients.zero";
            if (r == address(vault)) return "recipients.vault";
            if (r == address(token)) return "recipients.token";
            if (r == c.executor) return "recipients.executor";
            if (_before(c.recipients, i)) return "recipients.duplicate";
        }
        return 0;
    }

    /// @dev Whether the entry stands in the list before its own place.
    function _before(address[] memory list, uint256 place) private pure returns (bool) {
        for (uint256 i = 0; i < place; ++i) {
            if (list[i] == list[place]) return true;
        }
        return false;
    }

    function _applyConfigure(R.PolicyConfig memory c) internal {
        version += 1;
        p = R.Policy(
            c.executor,
            c.expiresAt,
            c.automaticEnabled,
            c.paused,
            c.approvedCap,
            c.automaticCap,
            c.lifetimeCap,
            c.reserveFloor
        );
        for (uint256 i = 0; i < c.approvers.length; ++i) {
            approves[version][c.approvers[i]] = true;
        }
        for (uint256 i = 0; i < c.recipients.length; ++i) {
            receives[version][c.recipients[i]] = true;
        }
    }

    function _predictAutomatic(address caller, Order memory o)
        internal
        view
        returns (bytes memory err)
    {
        err = _predictCaller(caller, o);
        if (err.length != 0) return err;
        if (!p.automaticEnabled) return abi.encodePacked(R.AutomaticDisabled.selector);
        return _predictPayment(o, p.automaticCap);
    }

    function _predictApproved(address caller, Order memory o, bytes32 digest, bool isSigned)
        internal
        view
        returns (bytes memory err)
    {
        err = _predictCaller(caller, o);
        if (err.length != 0) return err;
        if (!approves[version][o.approver]) {
            return abi.encodeWithSelector(R.ApproverNotAllowed.selector, o.approver, version);
        }
        if (voided[o.approver][digest] || voided[owner][digest]) {
            return abi.encodeWithSelector(R.ApprovalIsInvalidated.selector, digest);
        }
        if (!isSigned) {
            return abi.encodeWithSelector(R.InvalidSignature.selector, digest, o.approver);
        }
        return _predictPayment(o, p.approvedCap);
    }

    function _predictCaller(address caller, Order memory o) private view returns (bytes memory) {
        if (caller != p.executor) {
            return abi.encodeWithSelector(R.NotExecutor.selector, caller, p.executor);
        }
        if (o.version != version) {
            return abi.encodeWithSelector(R.VersionMismatch.selector, o.version, version);
        }
        return "";
    }

    function _predictPayment(Order memory o, uint256 cap) private view returns (bytes memory) {
        if (p.paused) return abi.encodePacked(R.PolicyPaused.selector);
        if (p.expiresAt <= block.timestamp) {
            return
                abi.encodeWithSelector(R.PolicyExpired.selector, block.timestamp, p.expiresAt);
        }
        if (o.deadline < block.timestamp) {
            return
                abi.encodeWithSelector(R.DeadlinePassed.selector, block.timestamp, o.deadline);
        }
        if (timesPaid[o.paymentId] != 0) {
            return abi.encodeWithSelector(R.PaymentAlreadyExecuted.selector, o.paymentId);
        }
        if (o.amount == 0) return abi.encodePacked(R.ZeroAmount.selector);
        if (o.amount > cap) return abi.encodeWithSelector(R.CapExceeded.selector, o.amount, cap);
        if (!receives[version][o.recipient]) {
            return abi.encodeWithSelector(R.RecipientNotAllowed.selector, o.recipient, version);
        }
        if (spent + o.amount > p.lifetimeCap) {
            return abi.encodeWithSelector(
                R.LifetimeCapExceeded.selector, spent + o.amount, p.lifetimeCap
            );
        }
        if (token.kind() == OddToken.Kind.HidesBalances) return _hidden();
        uint256 balance = token.ledger(address(vault));
        if (balance < o.amount + p.reserveFloor) {
            return abi.encodeWithSelector(
                R.ReserveBreached.selector, balance, o.amount + p.reserveFloor
            );
        }
        return _predictTransfer(address(vault), o.recipient, o.amount, true);
    }

    function _predictDeposit(address caller, uint256 amount) internal view returns (bytes memory) {
        if (amount == 0) return abi.encodePacked(R.ZeroAmount.selector);
        if (token.kind() == OddToken.Kind.HidesBalances) return _hidden();
        return _predictTransfer(caller, address(vault), amount, true);
    }

    function _predictWithdraw(address caller, uint256 amount) internal view returns (bytes memory) {
        if (caller != owner) return abi.encodeWithSelector(R.NotOwner.selector, caller, owner);
        if (amount == 0) return abi.encodePacked(R.ZeroAmount.selector);
        return _predictTransfer(address(vault), owner, amount, false);
    }

    /// @param isExact Whether the vault compares balances afterwards.
    function _predictTransfer(address from, address to, uint256 amount, bool isExact)
        private
        view
        returns (bytes memory)
    {
        OddToken.Kind kind = token.kind();
        if (token.isBlocked(from) || token.isBlocked(to)) {
            return abi.encodeWithSignature("Error(string)", "blocked");
        }
        if (kind == OddToken.Kind.RevertsSilently) return SILENT;
        if (kind == OddToken.Kind.ReturnsFalse) {
            return abi.encodeWithSelector(
                SafeERC20.SafeERC20FailedOperation.selector, address(token)
            );
        }
        if (kind == OddToken.Kind.MovesNothing) {
            if (!isExact) return "";
            uint256 here = token.ledger(address(vault));
            return _delta(to == address(vault) ? here + amount : here - amount, here);
        }
        if (token.ledger(from) < amount) {
            return abi.encodeWithSignature("Panic(uint256)", 0x11);
        }
        if (kind == OddToken.Kind.TakesAFee && isExact) {
            uint256 wanted = token.ledger(to) + amount;
            return _delta(wanted, wanted - 1);
        }
        return "";
    }

    function _delta(uint256 expected, uint256 actual) private pure returns (bytes memory) {
        return abi.encodeWithSelector(R.UnexpectedTokenDelta.selector, expected, actual);
    }

    function _hidden() private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", "no balances today");
    }
}
