// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Domain, Order, Orders} from "../base/Order.sol";
import {vm, Vm} from "../base/Vm.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {World} from "./World.sol";

/// @notice The actions that pay or try to.
abstract contract Payments is World {
    using Orders for Order;

    struct Prepared {
        Order order;
        bytes signature;
    }

    Prepared[] internal prepared;
    Order[] internal done;
    uint256 private counter;

    function payApproved(uint256 seed) external {
        _seed(seed);
        Order memory o = _newOrder();
        o.amount = _amount(p.approvedCap);
        (bytes memory signature, bool isSigned) = _sign(o);
        _payApproved(_sender(), o, signature, isSigned);
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
        o.amount = _amount(p.approvedCap);
        uint256 signer = _signer();
        o.approver = people[signer];
        prepared.push(Prepared(o, _ecdsa(signer, _digest(o))));
    }

    function payPrepared(uint256 seed) external {
        _seed(seed);
        if (prepared.length == 0) return;
        Prepared memory one = prepared[prepared.length - 1 - _roll(_least(prepared.length, 4))];
        _payApproved(_sender(), one.order, one.signature, true);
    }

    /// @dev Never succeeds.
    function payWrongly(uint256 seed) external {
        _seed(seed);
        if (_often(50)) _payForeign();
        else if (done.length > 0) _payAgain();
    }

    /// @dev What was paid is sent again, in either mode, signed again, under the newest policy.
    function _payAgain() private {
        Order memory o = done[_roll(done.length)];
        if (_often(80)) (o.version, o.deadline) = (version, uint64(block.timestamp + 1 hours));
        if (_often(50)) o.approvalId = bytes32(++counter);
        if (_often(40)) return _payAutomatic(_sender(), o);
        uint256 signer = _signer();
        o.approver = people[signer];
        _payApproved(_sender(), o, _ecdsa(signer, _digest(o)), true);
    }

    /// @dev A good signature for another vault, token, organization or chain.
    function _payForeign() private {
        Order memory o = _newOrder();
        o.amount = _amount(p.approvedCap);
        uint256 signer = _signer();
        o.approver = people[signer];
        Domain memory domain =
            Domain(block.chainid, address(vault), address(token), ORGANIZATION);
        uint256 which = _roll(4);
        if (which == 0) domain.chainId += 1 + _roll(1000);
        if (which == 1) domain.vault = _person();
        if (which == 2) domain.token = _person();
        if (which == 3) domain.organizationHash = bytes32(_roll(1000));
        bytes memory signature = _ecdsa(signer, o.digest(domain));
        bool ok = _payApproved(p.executor, o, signature, false);
        _check(!ok, "I19: a foreign signature was taken");
    }

    /// @dev The smallest payment that the policy of `live` allows.
    function _payLast() internal returns (bool) {
        Order memory o = _newOrder();
        o.paymentId = keccak256("last");
        (o.recipient, o.approver) = (people[FIRST_PAYEE], people[FIRST_APPROVER]);
        (o.amount, o.version, o.deadline) = (1, version, uint64(block.timestamp));
        return _payApproved(p.executor, o, _ecdsa(FIRST_APPROVER, _digest(o)), true);
    }

    /// @dev One of the two approvers with a key, a listed one if there is one.
    function _signer() private returns (uint256 signer) {
        signer = FIRST_APPROVER + _roll(2);
        if (!approves[version][people[signer]]) signer = 2 * FIRST_APPROVER + 1 - signer;
    }

    function _sender() private returns (address) {
        return _often(94) ? p.executor : _person();
    }

    /// @dev Mostly what the policy allows.
    function _newOrder() private returns (Order memory) {
        bytes32 id = keccak256(abi.encode("payment", ++counter));
        if (_often(4) && done.length > 0) id = done[_roll(done.length)].paymentId;
        uint256 late = _roll(20);
        return Order({
            paymentId: id,
            recipient: _often(90) ? _listed(false) : _anything(),
            amount: 0,
            version: _often(95) ? version : version + 1 - uint64(2 * _roll(2)),
            reportHash: keccak256(abi.encode("report", counter)),
            expenseVersionHash: keccak256(abi.encode("expense", counter)),
            deadline: uint64(
                late == 0
                    ? block.timestamp - 1
                    : late == 1 ? block.timestamp : block.timestamp + _roll(2 days)
            ),
            approvalId: bytes32(counter),
            approver: _often(95) ? _listed(true) : _anything()
        });
    }

    /// @dev Somebody of the list in force, if chance finds one.
    function _listed(bool isApprover) private returns (address one) {
        for (uint256 i = 0; i < 6; ++i) {
            one = isApprover ? people[FIRST_APPROVER + _roll(3)] : people[FIRST_PAYEE + _roll(4)];
            if (isApprover ? approves[version][one] : receives[version][one]) return one;
        }
    }

    /// @dev Mostly in the middle, often exactly at a limit or one beside it.
    function _amount(uint256 cap) private returns (uint256) {
        uint256 limit = cap;
        uint256 which = _roll(24);
        if (which > 5) return 1 + _roll(cap / 4 + 1);
        if (which == 0) return _roll(2) * type(uint256).max;
        if (which == 1) limit = p.lifetimeCap - spent;
        if (which == 2) {
            uint256 balance = token.ledger(address(vault));
            limit = balance > p.reserveFloor ? balance - p.reserveFloor : 0;
        }
        return limit + _roll(2);
    }

    /// @dev By the approver in one of the forms that count, or in one that does not.
    function _sign(Order memory o) private returns (bytes memory signature, bool isSigned) {
        bytes32 digest = _digest(o);
        if (o.approver == address(wallet)) {
            if (_often(90)) wallet.accept(digest, "agreed");
            return ("agreed", wallet.isValidSignature(digest, "agreed") == bytes4(0x1626ba7e));
        }
        uint256 signer = FIRST_APPROVER;
        if (o.approver == people[FIRST_APPROVER + 1]) ++signer;
        isSigned = o.approver == people[signer] && _often(95);
        if (isSigned) return (_ecdsa(signer, digest), true);
        uint256 how = _roll(4);
        if (how == 0) return ("", false);
        if (how == 1) return (_ecdsa(FIRST_PAYEE, digest), false);
        o.amount ^= 1;
        signature = _ecdsa(signer, _digest(o));
        o.amount ^= 1;
    }

    function _ecdsa(uint256 person, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_key(person), digest);
        return abi.encodePacked(r, s, v);
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
        _checkPaid(o, before, R.Mode.Automatic, 0, address(0));
        _checkPrediction(true, "", predicted);
    }

    function _payApproved(address caller, Order memory o, bytes memory signature, bool isSigned)
        private
        returns (bool ok)
    {
        R.Policy memory before = vault.policy();
        bytes32 digest = _digest(o);
        bytes memory predicted = _predictApproved(caller, o, digest, isSigned);
        vm.recordLogs();
        ok = _act(caller, o.approvedCall(signature), predicted);
        ++payCalls;
        if (!ok) return false;
        _check(isSigned && approves[version][o.approver], "I11: paid what nobody signed");
        _check(!voided[o.approver][digest] && !voided[owner][digest], "I12: paid what was void");
        _check(o.amount <= before.approvedCap, "I6: paid more than the approved cap");
        _checkPaid(o, before, R.Mode.Approved, digest, o.approver);
        _checkPrediction(true, "", predicted);
    }

    /// @dev Counts the payment and holds it against the policy that was in force.
    function _checkPaid(
        Order memory o,
        R.Policy memory before,
        R.Mode mode,
        bytes32 digest,
        address approver
    ) private {
        _check(++timesPaid[o.paymentId] == 1, "I4: paid twice");
        _check(receives[version][o.recipient], "I5: paid somebody who is not listed");
        uint256 left = token.ledger(address(vault));
        _check(left >= before.reserveFloor, "I7: paid out of the reserve");
        _check(!before.paused, "I8: paid while paused");
        _check(block.timestamp < before.expiresAt, "I8: paid after the policy's end");
        _check(block.timestamp <= o.deadline, "I8: paid after the deadline");
        _check(o.version == version, "I8: paid under another version");
        payments += o.amount;
        spent += o.amount;
        ++paid;
        done.push(o);
        bytes memory hashes = abi.encode(o.reportHash, o.expenseVersionHash, digest);
        _checkLog(
            bytes.concat(
                abi.encode(mode, o.amount, o.version), hashes, abi.encode(approver, spent)
            ),
            o
        );
    }

    function _checkLog(bytes memory data, Order memory o) private {
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
