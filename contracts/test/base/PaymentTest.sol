// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {Order} from "./Order.sol";
import {vm} from "./Vm.sol";
import {VaultTest} from "./VaultTest.sol";

/// @notice The rules that both modes of payment have in common, as checks that each mode calls.
abstract contract PaymentTest is VaultTest {
    /// @dev Pays in the mode under test.
    function _pays(Order memory order) internal virtual;

    /// @dev Is refused in the mode under test.
    function _refused(Order memory order, bytes memory err) internal virtual;

    /// @dev Calldata in the mode under test.
    function _data(Order memory order) internal view virtual returns (bytes memory);

    function _checkEffects(Order memory order) internal {
        uint256 vaultBefore = usdc.balanceOf(address(vault));
        uint256 recipientBefore = usdc.balanceOf(order.recipient);
        uint256 spentBefore = vault.spentTotal();
        _pays(order);
        vm.assertEq(usdc.balanceOf(address(vault)), vaultBefore - order.amount, "vault");
        vm.assertEq(usdc.balanceOf(order.recipient), recipientBefore + order.amount, "recipient");
        vm.assertEq(vault.spentTotal(), spentBefore + order.amount, "spentTotal");
        vm.assertTrue(vault.paymentExecuted(order.paymentId), "paymentExecuted");
        vm.assertFalse(vault.paymentExecuted(~order.paymentId), "another payment");
    }

    function _checkCaller(address caller) internal {
        vm.assume(caller != executor);
        _reverts(
            caller,
            _data(_order()),
            abi.encodeWithSelector(ICountersignVault.NotExecutor.selector, caller, executor)
        );
    }

    function _checkVersion(uint64 version) internal {
        uint64 current = vault.policyVersion();
        vm.assume(version != current);
        Order memory order = _order();
        order.version = version;
        _refused(
            order,
            abi.encodeWithSelector(ICountersignVault.VersionMismatch.selector, version, current)
        );
    }

    function _checkNoPolicy() internal {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        usdc.mint(address(vault), FUNDS);
        _refused(
            _order(),
            abi.encodeWithSelector(ICountersignVault.NotExecutor.selector, executor, address(0))
        );
    }

    function _checkPaused() internal {
        ICountersignVault.PolicyConfig memory config = _config();
        config.paused = true;
        _configure(config);
        _refused(_order(), _is(ICountersignVault.PolicyPaused.selector));
    }

    /// @dev The last second of the policy pays, the next does not.
    function _checkExpiry(uint256 later) internal {
        uint64 expiresAt = _config().expiresAt;
        vm.warp(expiresAt - 1);
        _pays(_order());
        vm.warp(expiresAt);
        _refused(_order(), _expired(expiresAt, expiresAt));
        later = _bound(later, expiresAt, type(uint64).max);
        vm.warp(later);
        Order memory order = _order();
        order.deadline = type(uint64).max;
        _refused(order, _expired(later, expiresAt));
    }

    function _expired(uint256 time, uint64 expiresAt) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ICountersignVault.PolicyExpired.selector, time, expiresAt);
    }

    /// @dev The deadline itself pays, a second later does not.
    function _checkDeadline() internal {
        Order memory order = _order();
        order.deadline = uint64(NOW);
        vm.warp(NOW + 1);
        _refused(
            order,
            abi.encodeWithSelector(
                ICountersignVault.DeadlinePassed.selector, NOW + 1, uint64(NOW)
            )
        );
        vm.warp(NOW);
        _pays(order);
    }

    function _checkNothing() internal {
        Order memory order = _order();
        order.amount = 0;
        _refused(order, _is(ICountersignVault.ZeroAmount.selector));
        order.amount = 1;
        _pays(order);
    }

    /// @dev The cap itself pays, one unit more does not.
    function _checkCap(uint256 cap, uint256 more) internal {
        Order memory order = _order();
        order.amount = cap + 1;
        _refused(order, _above(cap + 1, cap));
        order.amount = _bound(more, cap + 1, type(uint256).max);
        _refused(order, _above(order.amount, cap));
        order.amount = cap;
        _pays(order);
    }

    function _above(uint256 amount, uint256 cap) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ICountersignVault.CapExceeded.selector, amount, cap);
    }

    function _checkRecipient(address to) internal {
        vm.assume(to != recipient);
        Order memory order = _order();
        order.recipient = to;
        _refused(
            order,
            abi.encodeWithSelector(
                ICountersignVault.RecipientNotAllowed.selector, to, order.version
            )
        );
    }

    function _checkRemovedRecipient() internal {
        ICountersignVault.PolicyConfig memory config = _config();
        config.recipients = _list(stranger);
        _configure(config);
        _refused(
            _order(),
            abi.encodeWithSelector(
                ICountersignVault.RecipientNotAllowed.selector, recipient, uint64(2)
            )
        );
    }

    /// @dev The lifetime cap itself can be reached, not passed, also not under a new policy.
    function _checkLifetimeCap() internal {
        ICountersignVault.PolicyConfig memory config = _config();
        (config.automaticCap, config.approvedCap, config.lifetimeCap) = (150, 150, 200);
        _configure(config);
        Order memory order = _order();
        order.amount = 150;
        _pays(order);
        _configure(config);
        order = _order();
        order.paymentId = keccak256("second");
        order.amount = 51;
        _refused(
            order, abi.encodeWithSelector(ICountersignVault.LifetimeCapExceeded.selector, 201, 200)
        );
        order.amount = 50;
        _pays(order);
        vm.assertEq(vault.spentTotal(), 200, "spentTotal");
    }

    /// @dev The reserve itself may be left, one unit less not; a top-up mends it.
    function _checkReserve() internal {
        uint256 left = FUNDS - RESERVE - _order().amount;
        vm.prank(owner);
        vault.withdraw(left + 1);
        uint256 needed = RESERVE + _order().amount;
        _refused(
            _order(),
            abi.encodeWithSelector(ICountersignVault.ReserveBreached.selector, needed - 1, needed)
        );
        usdc.mint(address(vault), 1);
        _pays(_order());
        vm.assertEq(usdc.balanceOf(address(vault)), RESERVE, "left in the vault");
    }

    /// @dev Without a reserve the vault can be emptied, and not beyond.
    function _checkEmpty() internal {
        ICountersignVault.PolicyConfig memory config = _config();
        config.reserveFloor = 0;
        _configure(config);
        vm.prank(owner);
        vault.withdraw(FUNDS - 5);
        Order memory order = _order();
        order.amount = 6;
        _refused(order, abi.encodeWithSelector(ICountersignVault.ReserveBreached.selector, 5, 6));
        order.amount = 5;
        _pays(order);
    }

    function _executed() internal view returns (bytes memory) {
        return abi.encodeWithSelector(
            ICountersignVault.PaymentAlreadyExecuted.selector, _order().paymentId
        );
    }
}
