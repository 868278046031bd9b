// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Order} from "../base/Order.sol";
import {PeriodModel, Window} from "../base/PeriodModel.sol";
import {vm} from "../base/Vm.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {Governance} from "./Governance.sol";
import {World} from "./World.sol";

/// @notice Everything that can happen to a vault, each action in the name of anybody.
contract Handler is Governance {
    using PeriodModel for Window;

    OddToken private immutable stray = new OddToken();

    constructor(V vault_, OddToken token_, address owner_, uint256 delay_)
        World(vault_, token_, owner_, delay_)
    {
        token_.mint(address(vault_), 50_000e6);
        transfers = 50_000e6;
        stray.mint(address(vault_), 1_000_000);
        address[] memory payees = new address[](3);
        for (uint256 i = 0; i < 3; ++i) payees[i] = people[FIRST_PAYEE + i];
        _configureBoth(owner, 0, _firstPolicy(), payees, new address[](0));
        _check(version == 1, "I22: a vault could not be set up");
    }

    /// @dev Of something prepared when there is something: by its approver, the owner or anybody.
    function invalidateApproval(uint256 seed) external {
        _seed(seed);
        bytes32 digest = bytes32(_roll(10));
        address caller = _person();
        if (prepared.length > 0) {
            bytes memory one = prepared[_roll(prepared.length)];
            (, Signed[] memory signed) = abi.decode(one, (Order, Signed[]));
            if (signed.length > 0) {
                Signed memory chosen = signed[_roll(signed.length)];
                digest = chosen.digest;
                if (_often(20)) caller = chosen.approval.approver;
            }
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

    /// @dev Money that comes without the vault's doing, in the right token or another.
    function strayMoney(uint256 seed) external {
        _seed(seed);
        uint256 what = _roll(3);
        if (what == 0) _transferIn();
        else if (what == 1) _sendNative();
        else _rescue();
    }

    function _transferIn() private {
        uint256 held = token.ledger(address(vault));
        uint256 amount = _roll(5_000e6);
        vm.prank(_person());
        (bool ok,) =
            address(token).call(abi.encodeCall(OddToken.transfer, (address(vault), amount)));
        if (ok) transfers += token.ledger(address(vault)) - held;
    }

    /// @dev Native currency, plain or with a call, is never taken.
    function _sendNative() private {
        vm.deal(address(this), 1 ether);
        bytes memory data =
            _often(50) ? bytes("") : abi.encodeCall(V.invalidateApproval, (bytes32(0)));
        (bool ok,) = address(vault).call{value: 1 + _roll(10)}(data);
        _check(!ok && address(vault).balance == 0, "I15: the vault took native currency");
    }

    function _rescue() private {
        address caller = _often(70) ? owner : _person();
        bool isOwn = _often(20);
        uint256 amount = _roll(1_000);
        bytes memory predicted = _predictRescue(caller, isOwn, amount);
        address other = isOwn ? address(token) : address(stray);
        uint256 had = stray.ledger(owner);
        if (!_act(caller, abi.encodeCall(V.rescue, (IERC20(other), amount)), predicted)) return;
        _check(!isOwn, "I10: the vault's own token was rescued");
        _check(stray.ledger(owner) == had + amount, "I10: rescued money went elsewhere");
    }

    function warp(uint256 seed) external {
        _seed(seed);
        uint256 time = block.timestamp + _roll(8 hours);
        uint256 which = _roll(12);
        // Sometimes exactly the end of something, or the second before.
        uint256 end = 0;
        if (which == 0) end = p.expiresAt;
        if (which == 1) end = window.seenAt(block.timestamp).endsAt;
        if (which == 2 || which == 5) end = waiting.activatesAt;
        if (which == 3 && waiting.id != 0 && _often(30)) end = waiting.activatesAt + 7 days;
        if (which == 4) end = known[people[FIRST_PAYEE + _roll(4)]].allowedFrom;
        if (end > block.timestamp) time = end - _roll(2);
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
        if (_often(50)) token.block_(_often(20) ? address(vault) : _person(), _often(10));
    }

    /// @dev What must hold at every moment, from the sums that the actions keep.
    function check() external view {
        uint256 held = token.ledger(address(vault));
        uint256 expected = deposits + transfers - payments - withdrawals;
        _check(held == expected, "I1: the balance is not what came in less what went out");
        _check(vault.spentTotal() == payments, "I2: spentTotal is not the sum of the payments");
        _check(vault.spentTotal() <= vault.policy().lifetimeCap, "I3: over the lifetime cap");
        _check(vault.policyVersion() == configures, "I9: the version does not count the policies");
        _checkRoles();
        _checkParity();
    }

    function _checkRoles() private view {
        address executor = vault.policy().executor;
        _check(!vault.isApprover(version, executor), "I14: the executor approves");
        address[3] memory none = [address(0), address(vault), address(token)];
        for (uint256 i = 0; i < 3; ++i) {
            _check(!vault.isApprover(version, none[i]), "I14: somebody impossible approves");
            bool isListed = vault.recipientOf(none[i]).allowedFrom != 0;
            _check(!isListed, "I14: somebody impossible is listed");
        }
    }

    /// @dev Everything that can be read is what the model says.
    function _checkParity() private view {
        bytes memory policy = abi.encode(vault.policy());
        _check(keccak256(policy) == keccak256(abi.encode(p)), "I17: the policy is not the model's");
        bytes32 proposal = keccak256(abi.encode(vault.proposal()));
        bool isSame = proposal == keccak256(abi.encode(waiting));
        _check(isSame, "I17: the proposal is not the model's");
        _check(vault.pauseNumber() == pauses, "I17: the pauses are not the model's");
        isSame = vault.recipientsVersion() == recipientsVersion;
        _check(isSame, "I17: the list is not the model's");
        (uint128 total, uint128 automatic, uint256 endsAt) = vault.spentInPeriod();
        Window memory now_ = window.seenAt(block.timestamp);
        isSame = total == now_.total && automatic == now_.automatic && endsAt == now_.endsAt;
        _check(isSame, "I17: the period is not the model's");
        for (uint256 i = 0; i < PEOPLE; ++i) {
            isSame = vault.isApprover(version, people[i]) == approves[version][people[i]];
            _check(isSame, "I17: the approvers are not the model's");
            R.Recipient memory one = vault.recipientOf(people[i]);
            bytes32 modelled = keccak256(abi.encode(known[people[i]]));
            isSame = keccak256(abi.encode(one)) == modelled;
            _check(isSame, "I17: the recipients are not the model's");
        }
    }

    /// @dev The owner is heard and gets everything out, and a good payment goes through, whatever
    ///      has happened.
    function live() external {
        token.become(OddToken.Kind.Plain);
        for (uint256 i = 0; i < PEOPLE; ++i) token.block_(people[i], false);
        token.block_(address(vault), false);
        // Somebody who is paid at the end must not send the payments.
        address payee = people[FIRST_PAYEE + (p.executor == people[FIRST_PAYEE] ? 1 : 0)];
        _prevail(payee);
        _payOnce(payee);
        uint256 held = token.ledger(address(vault));
        vm.prank(owner);
        (bool ok,) = address(vault).call(abi.encodeCall(V.withdraw, (held)));
        _check(ok && token.ledger(address(vault)) == 0, "I21: the owner cannot get it all out");
    }

    /// @dev Approvers do their worst between any two of the owner's calls.
    function _prevail(address payee) private {
        for (uint256 i = 0; i < PEOPLE; ++i) {
            address person = people[i];
            if (!approves[version][person]) continue;
            _resist(payee);
            _revoke(owner, person);
            _check(!approves[version][person], "I27: an approver could not be revoked");
        }
        _resist(payee);
        _pause(owner);
        _resist(payee);
        _unpause(owner, vault.pauseNumber());
        _check(!vault.policy().paused, "I27: approvers keep the vault paused");
        _resist(payee);
        if (known[payee].blocked) _unblock(owner, payee);
        _check(!vault.recipientOf(payee).blocked, "I27: approvers keep a recipient blocked");
        _resist(payee);
        _block(owner, payee);
        _check(vault.recipientOf(payee).blocked, "I27: the owner cannot block");
        _unblock(owner, payee);
        _narrow(payee);
    }

    function _narrow(address payee) private {
        address[] memory one = new address[](1);
        address[] memory none = new address[](0);
        one[0] = payee;
        if (known[payee].allowedFrom != 0) _change(owner, recipientsVersion, none, one);
        bool isListed = vault.recipientOf(payee).allowedFrom != 0;
        _check(!isListed, "I27: the owner cannot remove a recipient");
        _resist(payee);
        vm.prank(owner);
        (bool ok,) = address(vault).call(abi.encodeCall(V.withdraw, (1)));
        bool isEmpty = token.ledger(address(vault)) == 0;
        _check(ok || isEmpty, "I27: approvers keep the owner from withdrawing");
        if (ok) withdrawals += 1;
    }

    /// @dev Everything that an approver may ever do, by all of them and by one of before.
    function _resist(address payee) private {
        for (uint256 i = 0; i < PEOPLE; ++i) {
            if (i != FIRST_APPROVER && !approves[version][people[i]]) continue;
            _pause(people[i]);
            _veto(people[i], waiting.id);
            _block(people[i], payee);
        }
    }

    /// @dev A policy of the owner's comes into force, after the delay, and pays.
    function _payOnce(address payee) private {
        R.PolicyConfig memory c = _firstPolicy();
        (c.lifetimeCap, c.approvedCap) = (uint128(spent + 1), 1);
        (c.automaticCap, c.reserveFloor, c.periodSeconds) = (0, 0, 0);
        (c.periodCap, c.automaticPeriodCap) = (0, 0);
        c.expiresAt = uint64(block.timestamp + delay + 1);
        c.tiers = new R.ApprovalTier[](0);
        address[] memory add = new address[](1);
        add[0] = payee;
        _configureBoth(owner, version, c, add, new address[](0));
        if (delay > 0) {
            _resist(payee);
            // Later than the proposal, so activation must not lift it.
            _pause(p.executor);
            vm.warp(block.timestamp + delay);
            _activate(version, c);
            _unpause(owner, vault.pauseNumber());
        }
        token.mint(address(vault), 2);
        _check(_payLast(payee), "I22: a payment that fulfils everything was refused");
    }

    /// @dev Allows a good deal, with a period and tiers; everybody's role in it is the usual one.
    function _firstPolicy() private view returns (R.PolicyConfig memory c) {
        (c.executor, c.expiresAt) = (people[1], uint64(block.timestamp + 10 days));
        c.automaticEnabled = true;
        (c.lifetimeCap, c.approvedCap, c.automaticCap) =
            (uint128(spent + 500_000e6), 3_000e6, 500e6);
        c.reserveFloor = 500e6;
        (c.periodSeconds, c.periodCap, c.automaticPeriodCap) = (86_400, 10_000e6, 2_000e6);
        c.approvers = new address[](5);
        for (uint256 i = 0; i < 5; ++i) c.approvers[i] = people[FIRST_APPROVER + i];
        c.tiers = new R.ApprovalTier[](2);
        c.tiers[0] = R.ApprovalTier(1_000e6, 2);
        c.tiers[1] = R.ApprovalTier(2_000e6, 3);
    }
}
