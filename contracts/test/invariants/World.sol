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
    /// @dev Owner, two executors, two approvers, a contract that approves, four payees, a stranger.
    uint256 internal constant PEOPLE = 11;
    uint256 internal constant FIRST_APPROVER = 3;
    uint256 internal constant FIRST_PAYEE = 6;

    address[] internal people;
    ContractWallet internal wallet;
    uint256 private chance;

    uint256 public deposits;
    uint256 public transfers;
    uint256 public payments;
    uint256 public withdrawals;
    uint256 public configures;
    uint256 public calls;
    uint256 public payCalls;
    uint256 public paid;

    /// @dev What of the vault can be seen before and after a call.
    struct Sight {
        R.Policy policy;
        uint64 version;
        uint128 spent;
        uint256 balance;
    }

    constructor(V vault_, OddToken token_, address owner_) {
        (vault, token, owner) = (vault_, token_, owner_);
        wallet = new ContractWallet();
        for (uint256 i = 0; i < PEOPLE; ++i) {
            address person = i == 0 ? owner_ : i == 5 ? address(wallet) : vm.addr(_key(i));
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
        return Sight(
            vault.policy(), vault.policyVersion(), vault.spentTotal(), token.ledger(address(vault))
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
        bool isConfigure = selector == V.configurePolicy.selector;
        _check(b.spent >= a.spent, "I2: what was spent went down");
        _check(b.version == a.version + (isConfigure ? 1 : 0), "I9: the version moved otherwise");
        if (a.policy.paused && !b.policy.paused) {
            _check(isConfigure, "I20: the brake was released by something else");
        }
        if (!a.policy.paused && b.policy.paused && !isConfigure) {
            bool isGuardian = caller == owner || caller == p.executor || approves[version][caller];
            _check(isGuardian, "I20: the brake was pulled by somebody else");
        }
        if (caller != owner) {
            a.policy.paused = b.policy.paused;
            _check(_same(a.policy, b.policy), "I10: somebody else changed the policy");
            _check(selector != V.withdraw.selector, "I10: somebody else withdrew");
        }
        if (caller != owner && caller != p.executor) {
            _check(b.balance >= a.balance, "I16: somebody else lowered the balance");
        }
    }

    function _same(Sight memory a, Sight memory b) private pure returns (bool) {
        return keccak256(abi.encode(a)) == keccak256(abi.encode(b));
    }

    function _same(R.Policy memory a, R.Policy memory b) private pure returns (bool) {
        return keccak256(abi.encode(a)) == keccak256(abi.encode(b));
    }
}
