// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Domain, Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {World} from "./World.sol";

/// @notice Who signs a payment, how, and what can be wrong with it.
abstract contract Signatures is World {
    using Orders for Order;

    uint256 private approvalCounter;

    /// @dev As many as the amount needs, in their order; now and then something is wrong.
    function _collect(Order memory o) internal returns (Signed[] memory signed) {
        uint256 count = _required(o.amount);
        if (_often(4)) count = count + 1 - 2 * _roll(2);
        address[] memory by = _approvers(count);
        if (by.length > 1 && _often(6)) by[_roll(by.length)] = by[_roll(by.length)];
        if (by.length > 0 && _often(4)) by[_roll(by.length)] = _anything();
        signed = new Signed[](by.length);
        for (uint256 i = 0; i < by.length; ++i) signed[i] = _signOne(o, by[i]);
        // The contract has forgotten the first digest if it stands twice in the list.
        for (uint256 i = 0; i < by.length; ++i) {
            if (by[i] == address(wallet)) signed[i].isSigned = _isAgreed(signed[i].digest);
        }
    }

    /// @dev Signed with keys alone, so that it keeps: a contract accepts one digest at a time.
    function _keep(Order memory o) internal returns (Signed[] memory signed) {
        address[] memory by = _approvers(_required(o.amount));
        signed = new Signed[](by.length);
        for (uint256 i = 0; i < by.length; ++i) {
            uint256 signer = _keyOf(by[i]);
            if (signer == 0) (signer, by[i]) = (FIRST_APPROVER, people[FIRST_APPROVER]);
            signed[i] = _prepare(o, by[i]);
            signed[i].approval.signature = _ecdsa(signer, signed[i].digest);
            signed[i].isSigned = true;
        }
    }

    /// @dev One good signature by somebody with a key, in another domain.
    function _foreign(Order memory o, Domain memory domain)
        internal
        returns (Signed[] memory signed)
    {
        signed = _keep(o);
        for (uint256 i = 0; i < signed.length; ++i) {
            (o.approvalId, o.approver) =
                (signed[i].approval.approvalId, signed[i].approval.approver);
            signed[i].approval.signature = _ecdsa(_keyOf(o.approver), o.digest(domain));
            signed[i].isSigned = false;
        }
    }

    /// @dev One signature, of the one who is first in line.
    function _single(Order memory o, uint256 signer) internal returns (Signed[] memory signed) {
        signed = new Signed[](1);
        signed[0] = _prepare(o, people[signer]);
        signed[0].approval.signature = _ecdsa(signer, signed[0].digest);
        signed[0].isSigned = true;
    }

    /// @dev Listed approvers, ascending; others where there are not enough.
    function _approvers(uint256 count) private returns (address[] memory by) {
        if (count > 5) count = 5;
        by = new address[](count);
        uint256 start = _roll(5);
        uint256 found = 0;
        for (uint256 i = 0; i < 5 && found < count; ++i) {
            address a = people[FIRST_APPROVER + (start + i) % 5];
            if (approves[version][a]) by[found++] = a;
        }
        for (uint256 i = 0; i < 5 && found < count; ++i) {
            address a = people[FIRST_APPROVER + (start + i) % 5];
            if (!approves[version][a]) by[found++] = a;
        }
        _sort(by);
    }

    function _sort(address[] memory list) private pure {
        for (uint256 i = 1; i < list.length; ++i) {
            for (uint256 j = i; j > 0 && list[j] < list[j - 1]; --j) {
                (list[j], list[j - 1]) = (list[j - 1], list[j]);
            }
        }
    }

    /// @dev By the approver in one of the forms that count, or in one that does not.
    function _signOne(Order memory o, address by) private returns (Signed memory one) {
        one = _prepare(o, by);
        if (by == address(wallet)) {
            if (_often(90)) wallet.accept(one.digest, "agreed");
            one.approval.signature = "agreed";
            return one;
        }
        uint256 signer = _keyOf(by);
        one.isSigned = signer != 0 && _often(97);
        if (one.isSigned) one.approval.signature = _ecdsa(signer, one.digest);
        else one.approval.signature = _worthless(o, one.digest);
    }

    function _isAgreed(bytes32 digest) private view returns (bool) {
        return wallet.isValidSignature(digest, "agreed") == bytes4(0x1626ba7e);
    }

    /// @dev Nothing, somebody else's, or one over another amount.
    function _worthless(Order memory o, bytes32 digest) private returns (bytes memory signature) {
        uint256 how = _roll(3);
        if (how == 0) return "";
        // A policy may list payees as approvers, whose own signature would count.
        if (how == 1) {
            return _ecdsa(o.approver == people[FIRST_PAYEE] ? FIRST_PAYEE + 1 : FIRST_PAYEE, digest);
        }
        uint256 signer = _keyOf(o.approver);
        o.amount ^= 1;
        signature = _ecdsa(signer == 0 ? FIRST_APPROVER : signer, _digest(o));
        o.amount ^= 1;
    }

    /// @dev The order carries the approval whose digest was computed last.
    function _prepare(Order memory o, address by) private returns (Signed memory one) {
        one.approval.approvalId = bytes32(++approvalCounter);
        one.approval.approver = by;
        (o.approvalId, o.approver) = (one.approval.approvalId, by);
        one.digest = _digest(o);
    }

    /// @dev Number of the approver with a key; 0 for anybody else.
    function _keyOf(address by) private view returns (uint256) {
        for (uint256 i = FIRST_APPROVER; i < WALLET; ++i) {
            if (people[i] == by) return i;
        }
        return 0;
    }

    function _ecdsa(uint256 person, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_key(person), digest);
        return abi.encodePacked(r, s, v);
    }

    function _approvalsOf(Signed[] memory signed)
        internal
        pure
        returns (R.Approval[] memory approvals)
    {
        approvals = new R.Approval[](signed.length);
        for (uint256 i = 0; i < signed.length; ++i) approvals[i] = signed[i].approval;
    }
}
