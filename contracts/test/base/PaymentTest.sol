// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "../../src/IVaultRecords.sol";
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
            abi.encodeWithSelector(IVaultRecords.NotExecutor.selector, caller, executor)
        );
    }

    function _checkVersion(uint64 version) internal {
        uint64 current = vault.policyVersion();
        vm.assume(version != current);
        Order memory order = _order();
        order.version = version;
        _refused(
            order,
            abi.encodeWithSelector(IVaultRecords.VersionMismatch.selector, version, current)
        );
    }

    function _checkNoPolicy() internal {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        usdc.mint(address(vault), FUNDS);
        _refused(
            _order(),
            abi.encodeWithSelector(IVaultRecords.NotExecutor.selector, executor, address(0))
        );
    }

    function _checkPaused() internal {
        IVaultRecords.PolicyConfig memory config = _config();
        config.paused = true;
        _configure(config);
        _refused(_order(), _is(IVaultRecords.PolicyPaused.selector));
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
        return abi.encodeWithSelector(IVaultRecords.PolicyExpired.selector, time, expiresAt);
    }

    /// @dev The deadline itself pays, a second later does not.
    function _checkDeadline() internal {
        Order memory order = _order();
        order.deadline = uint64(NOW);
        vm.warp(NOW + 1);
        _refused(
            order,
            abi.encodeWithSelector(
                IVaultRecords.DeadlinePassed.selector, NOW + 1, uint64(NOW)
            )
        );
        vm.warp(NOW);
        _pays(order);
    }

    function _checkNothing() internal {
        Order memory order = _order();
        order.amount = 0;
        _refused(order, _is(IVaultRecords.ZeroAmount.selector));
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
        return abi.encodeWithSelector(IVaultRecords.CapExceeded.selector, amount, cap);
    }

    function _checkRecipient(address to) internal {
        vm.assume(to != recipient);
        Order memory order = _order();
        order.recipient = to;
        _refused(order, _unknown(to));
    }

    function _checkRemovedRecipient() internal {
        _changeRecipients(_none(), _list(recipient));
        _refused(_order(), _unknown(recipient));
        _changeRecipients(_list(recipient), _none());
        _pays(_order());
    }

    /// @dev The first second at which an added recipient is allowed pays, the one before does not.
    function _checkNewRecipient() internal {
        _delayVault(1 days);
        _changeRecipients(_list(stranger), _none());
        Order memory order = _order();
        (order.recipient, order.deadline) = (stranger, uint64(NOW + 2 days));
        vm.warp(NOW + 1 days - 1);
        _refused(
            order,
            abi.encodeWithSelector(
                IVaultRecords.RecipientNotAllowed.selector, stranger, uint64(NOW + 1 days)
            )
        );
        vm.warp(NOW + 1 days);
        _pays(order);
    }

    function _checkBlockedRecipient() internal {
        vm.prank(second);
        vault.blockRecipient(recipient);
        _refused(
            _order(),
            abi.encodeWithSelector(IVaultRecords.RecipientIsBlocked.selector, recipient)
        );
        vm.prank(owner);
        vault.unblockRecipient(recipient);
        _pays(_order());
    }

    /// @dev Whoever is listed and becomes executor or approver is not paid while it lasts.
    function _checkRecipientWithARole() internal {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers[1] = recipient;
        _configure(config);
        _refused(_order(), _hasRole(recipient));
        vm.prank(owner);
        vault.revokeApprover(recipient);
        _pays(_order());
        _changeRecipients(_list(stranger), _none());
        config = _config();
        config.executor = stranger;
        _configure(config);
        Order memory order = _order();
        (order.recipient, order.paymentId) = (stranger, keccak256("to the executor"));
        _reverts(stranger, _data(order), _hasRole(stranger));
        _configure(_config());
        order.version = vault.policyVersion();
        _pays(order);
    }

    function _hasRole(address to) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IVaultRecords.RecipientHasRole.selector, to);
    }

    function _unknown(address to) private pure returns (bytes memory) {
        return
            abi.encodeWithSelector(IVaultRecords.RecipientNotAllowed.selector, to, uint64(0));
    }

    /// @dev The cap of a period can be reached, not passed; the next period begins anew.
    function _checkPeriodCap() internal {
        IVaultRecords.PolicyConfig memory config = _config();
        (config.periodSeconds, config.periodCap, config.automaticPeriodCap) =
            (1 days, 150, 150);
        _configure(config);
        uint256 endsAt = (NOW / 1 days + 1) * 1 days;
        vm.warp(endsAt - 1);
        Order memory order = _order();
        order.amount = 100;
        _pays(order);
        (order.paymentId, order.amount) = (keccak256("second"), 51);
        _refused(
            order,
            abi.encodeWithSelector(
                IVaultRecords.PeriodCapExceeded.selector, 151, 150, endsAt
            )
        );
        order.amount = 50;
        _pays(order);
        vm.warp(endsAt);
        (order.paymentId, order.amount) = (keccak256("third"), 150);
        _pays(order);
    }

    /// @dev The lifetime cap itself can be reached, not passed, also not under a new policy.
    function _checkLifetimeCap() internal {
        IVaultRecords.PolicyConfig memory config = _config();
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
            order, abi.encodeWithSelector(IVaultRecords.LifetimeCapExceeded.selector, 201, 200)
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
            abi.encodeWithSelector(IVaultRecords.ReserveBreached.selector, needed - 1, needed)
        );
        usdc.mint(address(vault), 1);
        _pays(_order());
        vm.assertEq(usdc.balanceOf(address(vault)), RESERVE, "left in the vault");
    }

    /// @dev Without a reserve the vault can be emptied, and not beyond.
    function _checkEmpty() internal {
        IVaultRecords.PolicyConfig memory config = _config();
        config.reserveFloor = 0;
        _configure(config);
        vm.prank(owner);
        vault.withdraw(FUNDS - 5);
        Order memory order = _order();
        order.amount = 6;
        _refused(order, abi.encodeWithSelector(IVaultRecords.ReserveBreached.selector, 5, 6));
        order.amount = 5;
        _pays(order);
    }

    function _executed() internal view returns (bytes memory) {
        return abi.encodeWithSelector(
            IVaultRecords.PaymentAlreadyExecuted.selector, _order().paymentId
        );
    }
}
