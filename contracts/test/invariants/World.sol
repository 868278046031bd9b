// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {IVaultRecords as R} from "../../src/IVaultRecords.sol";
import {Domain, Order, Orders} from "../base/Order.sol";
import {vm, Vm} from "../base/Vm.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {ContractWallet} from "../mocks/Wallets.sol";
import {Model} from "./Model.sol";

/// @notice The people around a vault, chance, and the one way in which anybody calls the vault.
/// @dev What must hold after every single call is checked here, whatever the call was.
abstract contract World is Model {
    using Orders for Order;

    bytes32 internal constant ORGANIZATION = keccak256("an organization");
    /// @dev Owner, two executors, four approvers, an approving contract, four payees, a stranger.
    uint256 internal constant PEOPLE = 13;
    uint256 internal constant FIRST_APPROVER = 3;
    uint256 internal constant WALLET = 7;
    uint256 internal constant FIRST_PAYEE = 8;

    address[] internal people;
    ContractWallet internal wallet;
    uint256 private chance;
    /// @dev When what waits was proposed.
    uint256 internal proposedAt;

    uint256 public deposits;
    uint256 public transfers;
    uint256 public payments;
    uint256 public withdrawals;
    uint256 public configures;
    uint256 public calls;
    uint256 public payCalls;
    uint256 public paid;
    uint256 public paidBySeveral;
    uint256 public paidInPeriods;
    uint256 public activations;

    /// @dev What of the vault can be seen before and after a call.
    struct Sight {
        R.Policy policy;
        uint64 version;
        uint128 spent;
        uint256 balance;
        R.Proposal proposal;
        uint64 pauseNumber;
        uint64 recipientsVersion;
        uint256 spentInPeriod;
    }

    constructor(V vault_, OddToken token_, address owner_, uint256 delay_) {
        (vault, token, owner, delay) = (vault_, token_, owner_, delay_);
        wallet = new ContractWallet();
        for (uint256 i = 0; i < PEOPLE; ++i) {
            address person = i == 0 ? owner_ : i == WALLET ? address(wallet) : vm.addr(_key(i));
            people.push(person);
            token_.mint(person, 1_000_000e6);
        }
    }

    function _key(uint256 person) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode("key", person)));
    }

    /// @dev Chance starts from the seed that the fuzzer gave to the action.
    function _seed(uint256 seed) internal {
        chance = seed;
        ++calls;
    }

    function _roll(uint256 sides) internal returns (uint256) {
        chance = uint256(keccak256(abi.encode(chance)));
        return chance % sides;
    }

    /// @dev True in so many of a hundred cases.
    function _often(uint256 percent) internal returns (bool) {
        return _roll(100) < percent;
    }

    function _person() internal returns (address) {
        return people[_roll(PEOPLE)];
    }

    /// @dev A person, or something that is none.
    function _anything() internal returns (address) {
        uint256 what = _roll(PEOPLE + 3);
        if (what == PEOPLE) return address(0);
        if (what == PEOPLE + 1) return address(vault);
        if (what == PEOPLE + 2) return address(token);
        return people[what];
    }

    /// @dev `what` begins with the number of the promise. With COUNTERSIGN_ONLY the others are
    ///      silent: so each promise can be shown to notice what breaks it.
    function _check(bool condition, string memory what) internal view {
        if (condition) return;
        bytes memory only = bytes(vm.envOr("COUNTERSIGN_ONLY", string("")));
        bytes memory said = bytes(what);
        for (uint256 i = 0; i < only.length; ++i) {
            if (said[i] != only[i]) return;
        }
        revert(what);
    }

    function _look() internal view returns (Sight memory) {
        (uint128 inPeriod,,) = vault.spentInPeriod();
        return Sight(
            vault.policy(),
            vault.policyVersion(),
            vault.spentTotal(),
            token.ledger(address(vault)),
            vault.proposal(),
            vault.pauseNumber(),
            vault.recipientsVersion(),
            inPeriod
        );
    }

    /// @dev The digest of an order on this vault and chain, computed here.
    function _digest(Order memory o) internal view returns (bytes32) {
        return o.digest(Domain(block.chainid, address(vault), address(token), ORGANIZATION));
    }

    /// @dev Calls the vault, compares with the prediction, and checks what holds after every call.
    function _act(address caller, bytes memory data, bytes memory predicted)
        internal
        returns (bool ok)
    {
        Sight memory before = _look();
        bytes memory answer;
        vm.prank(caller);
        (ok, answer) = address(vault).call(data);
        Sight memory later = _look();
        bytes4 selector = bytes4(data);
        if (ok) _checkChange(caller, selector, before, later);
        else _check(_same(before, later), "I18: a refused call changed the vault");
        _check(address(vault).balance == 0, "I15: the vault holds native currency");
        bool isPayment =
            selector == V.executeApproved.selector || selector == V.executeAutomatic.selector;
        // Whoever sent a payment says first which promise it broke.
        if (!ok || !isPayment) _checkPrediction(ok, answer, predicted);
    }

    function _checkPrediction(bool ok, bytes memory answer, bytes memory predicted) internal view {
        _check(ok || predicted.length != 0, "I17: refused what the model accepts");
        _check(!ok || predicted.length == 0, "I17: accepted what the model refuses");
        if (ok) return;
        bool isSilent = answer.length == 0 && keccak256(predicted) == keccak256(SILENT);
        bool isSame = keccak256(answer) == keccak256(predicted);
        _check(isSilent || isSame, "I17: refused with another error than the model");
    }

    function _checkChange(address caller, bytes4 selector, Sight memory a, Sight memory b)
        private
        view
    {
        bool isActivation = selector == V.activatePolicy.selector;
        bool isConfigure = selector == V.configurePolicy.selector
            || selector == V.configurePolicyAndRecipients.selector;
        bool isNew = isActivation || (isConfigure && (delay == 0 || a.version == 0));
        _check(b.spent >= a.spent, "I2: what was spent went down");
        _check(b.version == a.version + (isNew ? 1 : 0), "I9: the version moved otherwise");
        _checkBrake(caller, selector, a, b, isNew);
        if (caller != owner) {
            a.policy.paused = b.policy.paused;
            bool isSame = _same(a.policy, b.policy) || isActivation;
            _check(isSame, "I10: somebody else changed the policy");
            _check(selector != V.withdraw.selector, "I10: somebody else withdrew");
            _check(selector != V.rescue.selector, "I10: somebody else rescued");
            _check(a.recipientsVersion == b.recipientsVersion, "I10: somebody else listed");
            bool isProposed = b.proposal.id != a.proposal.id && b.proposal.id != 0;
            _check(!isProposed, "I10: somebody else proposed");
        }
        if (caller != owner && caller != p.executor) {
            _check(b.balance >= a.balance, "I16: somebody else lowered the balance");
        }
        if (isActivation) _checkActivation(a, b);
    }

    function _checkBrake(
        address caller,
        bytes4 selector,
        Sight memory a,
        Sight memory b,
        bool isNew
    ) private view {
        _check(b.pauseNumber >= a.pauseNumber, "I20: pauses were forgotten");
        if (a.policy.paused && !b.policy.paused) {
            bool isLifted = selector == V.unpause.selector && caller == owner;
            _check(isNew || isLifted, "I20: the brake was released by something else");
        }
        if (!a.policy.paused && b.policy.paused && !isNew) {
            bool isGuardian = _isGuardian(caller) || caller == p.executor;
            _check(isGuardian, "I20: the brake was pulled by somebody else");
        }
    }

    /// @dev Against what waited, before the model takes note of the activation.
    function _checkActivation(Sight memory a, Sight memory b) private view {
        _check(a.proposal.id != 0, "I28: activated what was not proposed");
        bool isInTime = block.timestamp >= proposedAt + delay
            && block.timestamp < proposedAt + delay + 7 days;
        _check(isInTime, "I28: activated too early or too late");
        bool isLater = a.policy.paused && a.pauseNumber > waiting.pauseNumber;
        _check(!isLater || b.policy.paused, "I29: activation lifted a later pause");
        for (uint256 i = 0; i < PEOPLE; ++i) {
            if (revokedAs[people[i]] <= waiting.revocationNumber) continue;
            bool isBack = vault.isApprover(b.version, people[i]);
            _check(!isBack, "I29: activation brought a revoked approver back");
        }
    }

    function _same(Sight memory a, Sight memory b) private pure returns (bool) {
        return keccak256(abi.encode(a)) == keccak256(abi.encode(b));
    }

    function _same(R.Policy memory a, R.Policy memory b) private pure returns (bool) {
        return keccak256(abi.encode(a)) == keccak256(abi.encode(b));
    }
}
