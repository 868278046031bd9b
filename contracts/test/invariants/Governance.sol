// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Policies} from "./Policies.sol";

/// @notice The actions that change what may be paid.
abstract contract Governance is Policies {
    /// @dev What was ever proposed, encoded.
    bytes[] private proposals;

    function configurePolicy(uint256 seed) external {
        _seed(seed);
        R.PolicyConfig memory c = _goodPolicy();
        if (_often(25)) _spoil(c);
        uint64 expected = _often(95) ? version : uint64(_roll(4));
        address caller = _often(95) ? owner : _person();
        if (_often(80)) return _configure(caller, expected, c);
        (address[] memory add, address[] memory remove) = _difference();
        _configureBoth(caller, expected, c, add, remove);
    }

    /// @dev What waits, or something that was proposed before.
    function activatePolicy(uint256 seed) external {
        _seed(seed);
        if (proposals.length == 0) return _activate(version, _goodPolicy());
        uint256 back = _often(90) ? 0 : _roll(proposals.length);
        bytes memory chosen = proposals[proposals.length - 1 - back];
        (uint64 expected, R.PolicyConfig memory c) = abi.decode(chosen, (uint64, R.PolicyConfig));
        if (_often(3)) c.lifetimeCap += 1;
        // Just before, so that it came after the proposal.
        if (_often(8)) _revoke(owner, people[FIRST_APPROVER + _roll(5)]);
        if (_often(8)) _pause(owner);
        _activate(expected, c);
    }

    function changeRecipients(uint256 seed) external {
        _seed(seed);
        (address[] memory add, address[] memory remove) = _difference();
        uint64 expected = _often(95) ? recipientsVersion : uint64(_roll(4));
        address caller = _often(95) ? owner : _person();
        _change(caller, expected, add, remove);
    }

    /// @dev The brake, a veto or a block, mostly by somebody who may.
    function guard(uint256 seed) external {
        _seed(seed);
        address caller = _often(70) ? people[_roll(WALLET + 1)] : _person();
        uint256 what = _roll(6);
        if (what < 2) _pause(caller);
        else if (what == 2) _veto(caller, _often(80) ? waiting.id : bytes32(_roll(2)));
        else if (what < 5 && _often(50)) _block(caller, people[FIRST_PAYEE + _roll(4)]);
        else _block(caller, _anything());
    }

    /// @dev The owner lifts a pause or a block, or revokes an approver.
    function decide(uint256 seed) external {
        _seed(seed);
        address caller = _often(92) ? owner : _person();
        uint256 what = _roll(8);
        if (what < 4) _unpause(caller, _often(90) ? pauses : uint64(_roll(5)));
        else if (what < 7) _unblock(caller, _often(85) ? _blocked() : _anything());
        else _revoke(caller, _often(60) ? people[FIRST_APPROVER + _roll(5)] : _anything());
    }

    function _configure(address caller, uint64 expected, R.PolicyConfig memory c) internal {
        bytes memory predicted = _predictConfigure(caller, expected, c);
        if (!_act(caller, abi.encodeCall(V.configurePolicy, (expected, c)), predicted)) return;
        _applyPolicy(expected, c);
    }

    function _configureBoth(
        address caller,
        uint64 expected,
        R.PolicyConfig memory c,
        address[] memory add,
        address[] memory remove
    ) internal {
        bytes memory data = abi.encodeCall(
            V.configurePolicyAndRecipients, (expected, c, recipientsVersion, add, remove)
        );
        bytes memory predicted = _predictConfigure(caller, expected, c);
        if (predicted.length > 0) {
            _act(caller, data, predicted);
            return;
        }
        // The roles of the new policy count for the new recipients, unless it only waits.
        bool isFirst = version == 0;
        if (_waits()) {
            predicted = _predictChange(caller, recipientsVersion, add, remove);
        } else {
            predicted = _predictChangeUnder(c, add, remove);
        }
        if (!_act(caller, data, predicted)) return;
        _applyPolicy(expected, c);
        _applyChange(add, remove, isFirst);
    }

    /// @dev As if the policy were in force already.
    function _predictChangeUnder(
        R.PolicyConfig memory c,
        address[] memory add,
        address[] memory remove
    ) private returns (bytes memory predicted) {
        (uint64 inForce, address executor) = (version, p.executor);
        (version, p.executor) = (type(uint64).max, c.executor);
        for (uint256 i = 0; i < c.approvers.length; ++i) approves[version][c.approvers[i]] = true;
        predicted = _predictChange(owner, recipientsVersion, add, remove);
        for (uint256 i = 0; i < c.approvers.length; ++i) approves[version][c.approvers[i]] = false;
        (version, p.executor) = (inForce, executor);
    }

    function _applyPolicy(uint64 expected, R.PolicyConfig memory c) private {
        if (_waits()) {
            _applyPropose(expected, c);
            proposedAt = block.timestamp;
            proposals.push(abi.encode(expected, c));
            return;
        }
        ++configures;
        _applyConfigure(c);
    }

    function _activate(uint64 expected, R.PolicyConfig memory c) internal {
        bytes memory predicted = _predictActivate(expected, c);
        bytes memory data = abi.encodeCall(V.activatePolicy, (expected, c));
        if (!_act(_person(), data, predicted)) return;
        ++configures;
        ++activations;
        _applyActivate(c);
    }

    function _change(
        address caller,
        uint64 expected,
        address[] memory add,
        address[] memory remove
    ) internal {
        bytes memory predicted = _predictChange(caller, expected, add, remove);
        bytes memory data = abi.encodeCall(V.changeRecipients, (expected, add, remove));
        if (_act(caller, data, predicted)) _applyChange(add, remove, version == 0);
    }

    function _pause(address caller) internal {
        bool isAllowed = _isGuardian(caller) || caller == p.executor;
        bytes memory predicted = isAllowed ? bytes("") : _notGuardian(caller);
        if (!_act(caller, abi.encodeCall(V.emergencyPause, ()), predicted)) return;
        p.paused = true;
        pauses += 1;
    }

    function _unpause(address caller, uint64 number) internal {
        bytes memory predicted = caller != owner
            ? _notOwner(caller)
            : p.paused && number == pauses
                ? bytes("")
                : abi.encodeWithSelector(R.PauseMismatch.selector, number, pauses);
        if (_act(caller, abi.encodeCall(V.unpause, (number)), predicted)) p.paused = false;
    }

    function _veto(address caller, bytes32 id) internal {
        bytes memory predicted = !_isGuardian(caller)
            ? _notGuardian(caller)
            : id == waiting.id && id != 0
                ? bytes("")
                : abi.encodeWithSelector(R.ProposalMismatch.selector, id, waiting.id);
        if (_act(caller, abi.encodeCall(V.veto, (id)), predicted)) delete waiting;
    }

    function _block(address caller, address account) internal {
        bytes memory predicted = !_isGuardian(caller)
            ? _notGuardian(caller)
            : known[account].blocked ? _wrong("recipients.blocked") : bytes("");
        bool ok = _act(caller, abi.encodeCall(V.blockRecipient, (account)), predicted);
        if (ok) known[account].blocked = true;
    }

    function _unblock(address caller, address account) internal {
        bytes memory predicted = caller != owner
            ? _notOwner(caller)
            : known[account].blocked ? bytes("") : _wrong("recipients.notBlocked");
        bool ok = _act(caller, abi.encodeCall(V.unblockRecipient, (account)), predicted);
        if (ok) known[account].blocked = false;
    }

    function _revoke(address caller, address account) internal {
        bytes memory predicted = caller != owner
            ? _notOwner(caller)
            : approves[version][account]
                ? bytes("")
                : abi.encodeWithSelector(R.ApproverNotAllowed.selector, account, version);
        if (!_act(caller, abi.encodeCall(V.revokeApprover, (account)), predicted)) return;
        approves[version][account] = false;
        revokedAs[account] = ++revocations;
    }

    function _notGuardian(address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(R.NotGuardian.selector, caller);
    }

    /// @dev Some payees more, some less; sometimes the impossible.
    function _difference() private returns (address[] memory add, address[] memory remove) {
        address[] memory unlisted = new address[](5);
        address[] memory listed = new address[](5);
        (uint256 more, uint256 less) = (0, 0);
        for (uint256 i = 0; i < 4; ++i) {
            address payee = people[FIRST_PAYEE + i];
            bool isListed = known[payee].allowedFrom != 0;
            if (!isListed && _often(80)) unlisted[more++] = payee;
            if (isListed && _often(15)) listed[less++] = payee;
        }
        if (_often(8)) unlisted[more++] = _anything();
        if (_often(5)) listed[less++] = _anything();
        (add, remove) = (_cut(unlisted, more), _cut(listed, less));
        if (_often(1)) add = new address[](501);
    }

    function _cut(address[] memory list, uint256 count) private pure returns (address[] memory) {
        assembly ("memory-safe") {
            mstore(list, count)
        }
        return list;
    }

    /// @dev Somebody who is blocked, if anybody is.
    function _blocked() private returns (address account) {
        uint256 start = _roll(PEOPLE);
        for (uint256 i = 0; i < PEOPLE; ++i) {
            account = people[(start + i) % PEOPLE];
            if (known[account].blocked) return account;
        }
    }
}
