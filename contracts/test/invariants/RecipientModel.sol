// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {PolicyModel} from "./PolicyModel.sol";

/// @notice What the design says of recipients.
abstract contract RecipientModel is PolicyModel {
    uint64 internal recipientsVersion;
    mapping(address => R.Recipient) internal known;
    /// @dev When the recipient was listed, and whether no policy was in force yet.
    mapping(address => uint256) internal listedAt;
    mapping(address => bool) internal listedFirst;

    function _predictChange(
        address caller,
        uint64 expected,
        address[] memory add,
        address[] memory remove
    ) internal view returns (bytes memory) {
        if (caller != owner) return _notOwner(caller);
        if (expected != recipientsVersion) {
            return abi.encodeWithSelector(
                R.RecipientsVersionMismatch.selector, expected, recipientsVersion
            );
        }
        uint256 count = add.length + remove.length;
        if (count == 0) return _wrong("recipients.none");
        if (count > 500) return _wrong("recipients.tooMany");
        for (uint256 i = 0; i < remove.length; ++i) {
            if (known[remove[i]].allowedFrom == 0 || _before(remove, i)) {
                return _wrong("recipients.unknown");
            }
        }
        for (uint256 i = 0; i < add.length; ++i) {
            bytes32 reason = _additionReason(add, i, remove);
            if (reason != 0) return _wrong(reason);
        }
        return "";
    }

    function _additionReason(address[] memory add, uint256 place, address[] memory remove)
        private
        view
        returns (bytes32)
    {
        address a = add[place];
        if (a == address(0)) return "recipients.zero";
        if (a == address(vault)) return "recipients.vault";
        if (a == address(token)) return "recipients.token";
        if (a == p.executor) return "recipients.executor";
        if (approves[version][a]) return "recipients.approver";
        bool isListed = known[a].allowedFrom != 0;
        for (uint256 i = 0; i < remove.length; ++i) {
            if (remove[i] == a) isListed = false;
        }
        return isListed || _before(add, place) ? bytes32("recipients.duplicate") : bytes32(0);
    }

    function _applyChange(address[] memory add, address[] memory remove, bool isFirst) internal {
        ++recipientsVersion;
        for (uint256 i = 0; i < remove.length; ++i) known[remove[i]].allowedFrom = 0;
        for (uint256 i = 0; i < add.length; ++i) {
            known[add[i]].allowedFrom = uint64(block.timestamp + (isFirst ? 0 : delay));
            (listedAt[add[i]], listedFirst[add[i]]) = (block.timestamp, isFirst);
        }
    }

    function _predictRecipient(address to) internal view returns (bytes memory) {
        uint64 from = known[to].allowedFrom;
        if (from == 0 || from > block.timestamp) {
            return abi.encodeWithSelector(R.RecipientNotAllowed.selector, to, from);
        }
        if (known[to].blocked) return abi.encodeWithSelector(R.RecipientIsBlocked.selector, to);
        if (to == p.executor || approves[version][to]) {
            return abi.encodeWithSelector(R.RecipientHasRole.selector, to);
        }
        return "";
    }
}
