// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Order} from "../base/Order.sol";
import {PeriodModel, Window} from "../base/PeriodModel.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {RecipientModel} from "./RecipientModel.sol";

/// @notice What the design says of money.
/// @dev A token that reverts without a word is predicted as `SILENT`.
abstract contract Model is RecipientModel {
    using PeriodModel for Window;

    bytes internal constant SILENT = "silent";

    /// @notice One signature, and what the model knows of it.
    struct Signed {
        R.Approval approval;
        bytes32 digest;
        bool isSigned;
    }

    mapping(bytes32 paymentId => uint256) internal timesPaid;
    mapping(address => mapping(bytes32 digest => bool)) internal voided;

    function _predictAutomatic(address caller, Order memory o)
        internal
        view
        returns (bytes memory err)
    {
        err = _predictCaller(caller, o);
        if (err.length != 0) return err;
        if (!p.automaticEnabled) return abi.encodePacked(R.AutomaticDisabled.selector);
        return _predictPayment(o, p.automaticCap, true);
    }

    function _predictApproved(address caller, Order memory o, Signed[] memory signed)
        internal
        view
        returns (bytes memory err)
    {
        err = _predictCaller(caller, o);
        if (err.length != 0) return err;
        uint256 required = _required(o.amount);
        if (signed.length != required) {
            return abi.encodeWithSelector(
                R.ApprovalCountMismatch.selector, signed.length, required
            );
        }
        for (uint256 i = 0; i < signed.length; ++i) {
            address a = signed[i].approval.approver;
            if (i == 0 ? a == address(0) : a <= signed[i - 1].approval.approver) {
                return abi.encodeWithSelector(R.ApproversNotAscending.selector, a);
            }
            err = _predictSigned(signed[i], a);
            if (err.length != 0) return err;
        }
        return _predictPayment(o, p.approvedCap, false);
    }

    function _predictSigned(Signed memory one, address a) private view returns (bytes memory) {
        if (!approves[version][a]) {
            return abi.encodeWithSelector(R.ApproverNotAllowed.selector, a, version);
        }
        if (voided[a][one.digest] || voided[owner][one.digest]) {
            return abi.encodeWithSelector(R.ApprovalIsInvalidated.selector, one.digest);
        }
        if (one.isSigned) return "";
        return abi.encodeWithSelector(R.InvalidSignature.selector, one.digest, a);
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

    function _predictPayment(Order memory o, uint256 cap, bool isAutomatic)
        private
        view
        returns (bytes memory err)
    {
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
        err = _predictRecipient(o.recipient);
        if (err.length == 0) err = _predictSums(o.amount, isAutomatic);
        if (err.length != 0) return err;
        if (token.kind() == OddToken.Kind.HidesBalances) return _hidden();
        uint256 balance = token.ledger(address(vault));
        if (balance < o.amount + p.reserveFloor) {
            return abi.encodeWithSelector(
                R.ReserveBreached.selector, balance, o.amount + p.reserveFloor
            );
        }
        return _predictTransfer(address(vault), o.recipient, o.amount, true);
    }

    function _predictSums(uint256 amount, bool isAutomatic) private view returns (bytes memory) {
        if (spent + amount > p.lifetimeCap) {
            return abi.encodeWithSelector(
                R.LifetimeCapExceeded.selector, spent + amount, p.lifetimeCap
            );
        }
        if (p.periodSeconds == 0) return "";
        Window memory next = window.pay(block.timestamp, amount, isAutomatic);
        if (next.total > p.periodCap) {
            return abi.encodeWithSelector(
                R.PeriodCapExceeded.selector, next.total, p.periodCap, next.endsAt
            );
        }
        if (!isAutomatic || next.automatic <= p.automaticPeriodCap) return "";
        return abi.encodeWithSelector(
            R.AutomaticPeriodCapExceeded.selector,
            next.automatic,
            p.automaticPeriodCap,
            next.endsAt
        );
    }

    function _predictDeposit(address caller, uint256 amount) internal view returns (bytes memory) {
        if (amount == 0) return abi.encodePacked(R.ZeroAmount.selector);
        if (token.kind() == OddToken.Kind.HidesBalances) return _hidden();
        return _predictTransfer(caller, address(vault), amount, true);
    }

    function _predictWithdraw(address caller, uint256 amount) internal view returns (bytes memory) {
        if (caller != owner) return _notOwner(caller);
        if (amount == 0) return abi.encodePacked(R.ZeroAmount.selector);
        return _predictTransfer(address(vault), owner, amount, false);
    }

    /// @dev Of a token that behaves; the vault looks at its own before and after.
    function _predictRescue(address caller, bool isOwn, uint256 amount)
        internal
        view
        returns (bytes memory)
    {
        if (caller != owner) return _notOwner(caller);
        if (isOwn) return abi.encodePacked(R.OwnToken.selector);
        if (amount == 0) return abi.encodePacked(R.ZeroAmount.selector);
        return token.kind() == OddToken.Kind.HidesBalances ? _hidden() : bytes("");
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
