// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Domain, Order, Orders} from "../base/Order.sol";
import {PeriodModel, Window} from "../base/PeriodModel.sol";
import {vm, Vm} from "../base/Vm.sol";
import {Signatures} from "./Signatures.sol";

/// @notice The actions that pay or try to.
abstract contract Payments is Signatures {
    using Orders for Order;
    using PeriodModel for Window;

    struct Made {
        uint256 time;
        uint256 amount;
        bool isAutomatic;
        uint64 version;
    }

    /// @dev Encoded orders with their signatures.
    bytes[] internal prepared;
    Order[] internal done;
    Made[] private made;
    uint256 private counter;

    function payApproved(uint256 seed) external {
        _seed(seed);
        _payNew();
        if (_often(50)) _payNew();
    }

    function payAutomatic(uint256 seed) external {
        _seed(seed);
        Order memory o = _newOrder();
        o.amount = _amount(p.automaticCap);
        _payAutomatic(_sender(), o);
    }

    /// @dev Signs now and pays later, perhaps never: the policy may change in between.
    function prepare(uint256 seed) external {
        _seed(seed);
        Order memory o = _newOrder();
        o.amount = _approvedAmount();
        prepared.push(abi.encode(o, _keep(o)));
    }

    function payPrepared(uint256 seed) external {
        _seed(seed);
        if (prepared.length == 0) return _payNew();
        uint256 place = prepared.length - 1 - _roll(_least(prepared.length, 4));
        (Order memory o, Signed[] memory signed) = abi.decode(prepared[place], (Order, Signed[]));
        _payApproved(_sender(), o, signed);
    }

    /// @dev Never succeeds.
    function payWrongly(uint256 seed) external {
        _seed(seed);
        if (_often(50) || done.length == 0) _payForeign();
        else _payAgain();
    }

    function _payNew() private {
        Order memory o = _newOrder();
        o.amount = _approvedAmount();
        _payApproved(_sender(), o, _collect(o));
    }

    /// @dev What was paid is sent again, in either mode, signed again, under the newest policy.
    function _payAgain() private {
        Order memory o = done[_roll(done.length)];
        if (_often(80)) (o.version, o.deadline) = (version, uint64(block.timestamp + 1 hours));
        if (_often(40)) return _payAutomatic(_sender(), o);
        _payApproved(_sender(), o, _keep(o));
    }

    /// @dev Good signatures for another vault, token, organization or chain.
    function _payForeign() private {
        Order memory o = _newOrder();
        o.amount = _amount(p.approvedCap);
        Domain memory domain =
            Domain(block.chainid, address(vault), address(token), ORGANIZATION);
        uint256 which = _roll(4);
        if (which == 0) domain.chainId += 1 + _roll(1000);
        if (which == 1) domain.vault = _person();
        if (which == 2) domain.token = _person();
        if (which == 3) domain.organizationHash = bytes32(_roll(1000));
        bool ok = _payApproved(p.executor, o, _foreign(o, domain));
        _check(!ok, "I19: a foreign signature was taken");
    }

    /// @dev The smallest payment that the policy of `live` allows.
    function _payLast(address to) internal returns (bool) {
        Order memory o = _newOrder();
        o.paymentId = keccak256("last");
        (o.recipient, o.amount, o.version) = (to, 1, version);
        o.deadline = uint64(block.timestamp);
        return _payApproved(p.executor, o, _single(o, FIRST_APPROVER));
    }

    function _sender() private returns (address) {
        return _often(95) ? p.executor : _person();
    }

    /// @dev Mostly what the policy allows.
    function _newOrder() private returns (Order memory) {
        bytes32 id = keccak256(abi.encode("payment", ++counter));
        if (_often(4) && done.length > 0) id = done[_roll(done.length)].paymentId;
        uint256 late = _roll(20);
        return Order({
            paymentId: id,
            recipient: _often(93) ? _payee() : _anything(),
            amount: 0,
            version: _often(96) ? version : version + 1 - uint64(2 * _roll(2)),
            reportHash: keccak256(abi.encode("report", counter)),
            expenseVersionHash: keccak256(abi.encode("expense", counter)),
            deadline: uint64(
                late == 0
                    ? block.timestamp - 1
                    : late == 1 ? block.timestamp : block.timestamp + _roll(2 days)
            ),
            approvalId: 0,
            approver: address(0)
        });
    }

    /// @dev Somebody who can be paid, if chance finds one.
    function _payee() private returns (address one) {
        for (uint256 i = 0; i < 6; ++i) {
            one = people[FIRST_PAYEE + _roll(4)];
            if (_predictRecipient(one).length == 0) return one;
        }
    }

    /// @dev Every third is a little above a tier, so that several people have to sign.
    function _approvedAmount() private returns (uint256) {
        if (p.tiers.length == 0 || !_often(33)) return _amount(p.approvedCap);
        return p.tiers[_roll(p.tiers.length)].above + 1 + _roll(p.approvedCap / 8 + 1);
    }

    /// @dev Mostly in the middle, often exactly at a limit or one beside it.
    function _amount(uint256 cap) private returns (uint256) {
        uint256 limit = cap;
        uint256 which = _roll(30);
        if (which > 7) return 1 + _roll(which > 20 ? cap : cap / 4 + 1);
        if (which == 0) return _roll(2) * type(uint256).max;
        if (which == 1) limit = p.lifetimeCap - spent;
        if (which == 2) {
            uint256 balance = token.ledger(address(vault));
            limit = balance > p.reserveFloor ? balance - p.reserveFloor : 0;
        }
        Window memory now_ = window.seenAt(block.timestamp);
        if (which == 3 && p.periodCap > now_.total) limit = p.periodCap - now_.total;
        if (which == 4 && p.automaticPeriodCap > now_.automatic) {
            limit = p.automaticPeriodCap - now_.automatic;
        }
        if ((which == 5 || which == 6) && p.tiers.length > 0) {
            limit = p.tiers[_roll(p.tiers.length)].above;
        }
        return limit + _roll(2);
    }

    function _payAutomatic(address caller, Order memory o) private {
        R.Policy memory before = vault.policy();
        bytes memory predicted = _predictAutomatic(caller, o);
        vm.recordLogs();
        bool ok = _act(caller, o.automaticCall(), predicted);
        ++payCalls;
        if (!ok) return;
        _check(before.automaticEnabled, "I13: paid without a signature against the policy");
        _check(o.amount <= before.automaticCap, "I6: paid more than the automatic cap");
        _checkPaid(o, before, R.Mode.Automatic, new Signed[](0));
        _checkPrediction(true, "", predicted);
    }

    function _payApproved(address caller, Order memory o, Signed[] memory signed)
        private
        returns (bool ok)
    {
        R.Policy memory before = vault.policy();
        bytes memory predicted = _predictApproved(caller, o, signed);
        vm.recordLogs();
        ok = _act(caller, o.approvedCall(_approvalsOf(signed)), predicted);
        ++payCalls;
        if (!ok) return false;
        _checkSigned(o, signed);
        _check(o.amount <= before.approvedCap, "I6: paid more than the approved cap");
        _checkPaid(o, before, R.Mode.Approved, signed);
        _checkPrediction(true, "", predicted);
    }

    function _checkSigned(Order memory o, Signed[] memory signed) private view {
        uint256 different = 0;
        for (uint256 i = 0; i < signed.length; ++i) {
            address by = signed[i].approval.approver;
            bytes32 digest = signed[i].digest;
            bool isGood = signed[i].isSigned && approves[version][by];
            _check(isGood, "I11: paid what nobody signed");
            _check(!voided[by][digest] && !voided[owner][digest], "I12: paid what was void");
            bool isNew = true;
            for (uint256 j = 0; j < i; ++j) {
                if (signed[j].approval.approver == by) isNew = false;
            }
            if (isNew) ++different;
        }
        _check(different >= _required(o.amount), "I25: paid with fewer approvers than the tier");
    }

    /// @dev Counts the payment and holds it against the policy that was in force.
    function _checkPaid(
        Order memory o,
        R.Policy memory before,
        R.Mode mode,
        Signed[] memory signed
    ) private {
        _check(++timesPaid[o.paymentId] == 1, "I4: paid twice");
        _checkRecipient(o.recipient, before);
        uint256 left = token.ledger(address(vault));
        _check(left >= before.reserveFloor, "I7: paid out of the reserve");
        _check(!before.paused, "I8: paid while paused");
        _check(block.timestamp < before.expiresAt, "I8: paid after the policy's end");
        _check(block.timestamp <= o.deadline, "I8: paid after the deadline");
        _check(o.version == version, "I8: paid under another version");
        payments += o.amount;
        spent += o.amount;
        ++paid;
        if (signed.length > 1) ++paidBySeveral;
        done.push(o);
        _checkPeriod(o.amount, mode == R.Mode.Automatic, before);
        _checkLog(o, mode, signed);
    }

    function _checkRecipient(address to, R.Policy memory before) private view {
        uint64 from = known[to].allowedFrom;
        _check(from != 0 && from <= block.timestamp, "I5: paid somebody who is not listed");
        bool isDue = listedFirst[to] || block.timestamp >= listedAt[to] + delay;
        _check(isDue, "I28: paid a recipient before the delay");
        _check(!known[to].blocked, "I26: paid somebody who is blocked");
        _check(to != before.executor, "I26: paid the executor");
        _check(!approves[version][to], "I26: paid an approver");
    }

    /// @dev By the model, and by adding up what was paid under this policy since the period began.
    function _checkPeriod(uint256 amount, bool isAutomatic, R.Policy memory before) private {
        window = window.pay(block.timestamp, amount, isAutomatic);
        made.push(Made(block.timestamp, amount, isAutomatic, version));
        uint256 length = before.periodSeconds;
        if (length == 0) return;
        ++paidInPeriods;
        _check(window.total <= before.periodCap, "I23: more than the period's cap left");
        uint256 total = 0;
        uint256 automatic = 0;
        uint256 begin = block.timestamp - block.timestamp % length;
        for (uint256 i = made.length; i > 0; --i) {
            Made memory one = made[i - 1];
            if (one.time < begin || one.version != version) break;
            total += one.amount;
            if (one.isAutomatic) automatic += one.amount;
        }
        _check(total <= before.periodCap, "I23: more than the period's cap left");
        if (!isAutomatic) return;
        uint256 most = before.automaticPeriodCap;
        bool isWithin = window.automatic <= most && automatic <= most;
        _check(isWithin, "I24: more than the period's automatic cap left");
    }

    function _checkLog(Order memory o, R.Mode mode, Signed[] memory signed) private {
        bytes32[] memory digests = new bytes32[](signed.length);
        address[] memory by = new address[](signed.length);
        for (uint256 i = 0; i < signed.length; ++i) {
            (digests[i], by[i]) = (signed[i].digest, signed[i].approval.approver);
        }
        bytes memory data = abi.encode(
            mode,
            o.amount,
            o.version,
            o.reportHash,
            o.expenseVersionHash,
            digests,
            by,
            spent
        );
        Vm.Log[] memory logs = vm.getRecordedLogs();
        _check(logs.length == 1, "I2: a payment without its event");
        _check(logs[0].topics[0] == R.PaymentExecuted.selector, "I2: another event");
        _check(logs[0].topics[1] == o.paymentId, "I2: event of another payment");
        bytes32 payee = bytes32(uint256(uint160(o.recipient)));
        _check(logs[0].topics[2] == payee, "I2: event of another payee");
        _check(keccak256(logs[0].data) == keccak256(data), "I2: event with other numbers");
    }

    function _least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}
