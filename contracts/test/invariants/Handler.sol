// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {Payments} from "./Payments.sol";
import {World} from "./World.sol";

/// @notice Everything that can happen to a vault, each action in the name of anybody.
contract Handler is Payments {
    constructor(V vault_, OddToken token_, address owner_) World(vault_, token_, owner_) {
        token_.mint(address(vault_), 50_000e6);
        transfers = 50_000e6;
        _configure(owner, version, _goodPolicy());
    }

    function configurePolicy(uint256 seed) external {
        _seed(seed);
        R.PolicyConfig memory c = _goodPolicy();
        if (_often(30)) _spoil(c);
        uint64 expected = _often(93) ? version : uint64(_roll(4));
        _configure(_often(93) ? owner : _person(), expected, c);
    }

    function emergencyPause(uint256 seed) external {
        _seed(seed);
        address caller = _often(75) ? people[10] : _person();
        bool isGuardian = caller == owner || caller == p.executor || approves[version][caller];
        bytes memory predicted =
            isGuardian ? bytes("") : abi.encodeWithSelector(R.NotGuardian.selector, caller);
        if (_act(caller, abi.encodeCall(V.emergencyPause, ()), predicted)) p.paused = true;
    }

    /// @dev Of something prepared when there is something: by its approver, the owner or anybody.
    function invalidateApproval(uint256 seed) external {
        _seed(seed);
        bytes32 digest = bytes32(_roll(10));
        address caller = _person();
        if (prepared.length > 0) {
            Prepared memory one = prepared[_roll(prepared.length)];
            digest = _digest(one.order);
            if (_often(20)) caller = one.order.approver;
        }
        _act(caller, abi.encodeCall(V.invalidateApproval, (digest)), "");
        voided[caller][digest] = true;
    }

    function deposit(uint256 seed) external {
        _seed(seed);
        address caller = _person();
        uint256 amount = _often(5) ? token.ledger(caller) + _roll(2) : _roll(20_000e6);
        bytes memory predicted = _predictDeposit(caller, amount);
        if (_act(caller, abi.encodeCall(V.deposit, (amount)), predicted)) deposits += amount;
    }

    function withdraw(uint256 seed) external {
        _seed(seed);
        address caller = _often(70) ? owner : _person();
        uint256 held = token.ledger(address(vault));
        uint256 had = token.ledger(owner);
        uint256 amount = _often(5) ? held + _roll(2) : _roll(held / 8 + 2);
        bytes memory predicted = _predictWithdraw(caller, amount);
        if (!_act(caller, abi.encodeCall(V.withdraw, (amount)), predicted)) return;
        // A token may lie or take its fee: what counts is what left, and that the owner has it.
        uint256 left = held - token.ledger(address(vault));
        withdrawals += left;
        uint256 fee = token.kind() == OddToken.Kind.TakesAFee ? 1 : 0;
        _check(token.ledger(owner) == had + left - fee, "I10: withdrawn money went elsewhere");
    }

    /// @dev Money that comes without the vault's doing.
    function transferIn(uint256 seed) external {
        _seed(seed);
        uint256 held = token.ledger(address(vault));
        uint256 amount = _roll(5_000e6);
        vm.prank(_person());
        (bool ok,) =
            address(token).call(abi.encodeCall(OddToken.transfer, (address(vault), amount)));
        if (ok) transfers += token.ledger(address(vault)) - held;
    }

    /// @dev Native currency, plain or with a call, is never taken.
    function sendNative(uint256 seed) external {
        _seed(seed);
        vm.deal(address(this), 1 ether);
        bytes memory data =
            _often(50) ? bytes("") : abi.encodeCall(V.invalidateApproval, (bytes32(0)));
        (bool ok,) = address(vault).call{value: 1 + _roll(10)}(data);
        _check(!ok && address(vault).balance == 0, "I15: the vault took native currency");
    }

    function warp(uint256 seed) external {
        _seed(seed);
        uint256 time = block.timestamp + _roll(8 hours);
        // Sometimes exactly the end of the policy, or the second before.
        if (_often(10) && p.expiresAt > block.timestamp) time = p.expiresAt - _roll(2);
        vm.warp(time);
    }

    function breakToken(uint256 seed) external {
        _seed(seed);
        OddToken.Kind[8] memory kinds = [
            OddToken.Kind.Plain,
            OddToken.Kind.TakesAFee,
            OddToken.Kind.ReturnsFalse,
            OddToken.Kind.ReturnsNothing,
            OddToken.Kind.ReturnsMore,
            OddToken.Kind.MovesNothing,
            OddToken.Kind.HidesBalances,
            OddToken.Kind.RevertsSilently
        ];
        token.become(kinds[_often(80) ? 0 : _roll(8)]);
    }

    function blacklist(uint256 seed) external {
        _seed(seed);
        address account = _often(20) ? address(vault) : _person();
        token.block_(account, _often(10));
    }

    /// @dev What must hold at every moment, from the sums that the actions keep.
    function check() external view {
        uint256 held = token.ledger(address(vault));
        uint256 expected = deposits + transfers - payments - withdrawals;
        _check(held == expected, "I1: the balance is not what came in less what went out");
        _check(vault.spentTotal() == payments, "I2: spentTotal is not the sum of the payments");
        _check(vault.spentTotal() <= vault.policy().lifetimeCap, "I3: over the lifetime cap");
        _check(vault.policyVersion() == configures, "I9: the version does not count the policies");
        address executor = vault.policy().executor;
        _check(!vault.isApprover(version, executor), "I14: the executor approves");
        _check(!vault.isRecipient(version, executor), "I14: the executor is paid");
        _check(!vault.isRecipient(version, address(0)), "I14: nobody is paid");
        _check(!vault.isRecipient(version, address(vault)), "I14: the vault pays itself");
        _check(!vault.isRecipient(version, address(token)), "I14: the token is paid");
        _check(
            keccak256(abi.encode(vault.policy())) == keccak256(abi.encode(p)),
            "I17: the policy is not the model's"
        );
    }

    /// @dev The owner gets everything out, and a good payment goes through, whatever has happened.
    function live() external {
        token.become(OddToken.Kind.Plain);
        for (uint256 i = 0; i < PEOPLE; ++i) token.block_(people[i], false);
        token.block_(address(vault), false);
        _payOnce();
        uint256 held = token.ledger(address(vault));
        vm.prank(owner);
        (bool ok,) = address(vault).call(abi.encodeCall(V.withdraw, (held)));
        _check(ok && token.ledger(address(vault)) == 0, "I21: the owner cannot get it all out");
    }

    function _payOnce() private {
        R.PolicyConfig memory c = _goodPolicy();
        (c.paused, c.reserveFloor, c.expiresAt) = (false, 0, uint64(block.timestamp + 1));
        (c.lifetimeCap, c.approvedCap) = (uint128(spent + 1), 1);
        c.automaticCap = 0;
        c.approvers = new address[](1);
        c.recipients = new address[](1);
        (c.approvers[0], c.recipients[0]) = (people[FIRST_APPROVER], people[FIRST_PAYEE]);
        _configure(owner, version, c);
        token.mint(address(vault), 2);
        _check(_payLast(), "I22: a payment that fulfils everything was refused");
    }

    function _configure(address caller, uint64 expected, R.PolicyConfig memory c) private {
        bytes memory predicted = _predictConfigure(caller, expected, c);
        if (!_act(caller, abi.encodeCall(V.configurePolicy, (expected, c)), predicted)) return;
        ++configures;
        _applyConfigure(c);
    }

    function _goodPolicy() private returns (R.PolicyConfig memory c) {
        c.executor = people[1 + _roll(2)];
        c.expiresAt = uint64(block.timestamp + 1 + _roll(20 days));
        c.automaticEnabled = _often(85);
        c.paused = _often(5);
        c.lifetimeCap = uint128(spent + _roll(_often(70) ? 500_000e6 : 1_000e6));
        c.approvedCap = uint128(_roll(_often(80) ? 3_000e6 : 500_000e6));
        if (c.approvedCap > c.lifetimeCap) c.approvedCap = c.lifetimeCap;
        c.automaticCap = uint128(_roll(uint256(c.approvedCap) + 1));
        c.reserveFloor = uint128(_roll(_often(90) ? 1_000e6 : 100_000e6));
        uint256 first = _roll(3);
        c.approvers = new address[](1 + _roll(3));
        for (uint256 i = 0; i < c.approvers.length; ++i) {
            c.approvers[i] = people[FIRST_APPROVER + (first + i) % 3];
        }
        c.recipients = new address[](_often(95) ? 1 + _roll(4) : 0);
        for (uint256 i = 0; i < c.recipients.length; ++i) {
            c.recipients[i] = people[FIRST_PAYEE + (first + i) % 4];
        }
    }

    /// @dev One thing or another is wrong with it, now and then nothing.
    function _spoil(R.PolicyConfig memory c) private {
        uint256 what = _roll(11);
        if (what == 0) c.executor = _anything();
        if (what == 1) c.expiresAt = uint64(block.timestamp - _roll(2));
        if (what == 2) c.automaticCap = c.approvedCap + 1;
        if (what == 3) c.approvedCap = c.lifetimeCap + 1;
        if (what == 4 && spent > 0) {
            (c.lifetimeCap, c.approvedCap, c.automaticCap) = (uint128(spent - 1), 0, 0);
        }
        if (what == 5) c.approvers = new address[](33 * _roll(2));
        if (what == 6) c.approvers[_roll(c.approvers.length)] = _anything();
        if (what == 7) c.approvers[0] = c.approvers[c.approvers.length - 1];
        if (what == 8 && c.recipients.length > 0) {
            c.recipients[_roll(c.recipients.length)] = _anything();
        }
        if (what == 9 && c.recipients.length > 0) c.recipients[0] = c.executor;
        if (what == 10) c.recipients = new address[](257);
    }
}
