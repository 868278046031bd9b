// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";
import {HookToken, Puppet} from "../mocks/HookToken.sol";

/// @notice A token calls back in the middle of a transfer, in anybody's name, into any function.
contract ReentrancyTest is VaultTest {
    using Orders for Order;

    uint256 private constant AMOUNT = 100e6;
    HookToken private token;
    Puppet private ownerPuppet;
    Puppet private executorPuppet;
    Puppet private approverPuppet;

    function setUp() public override {
        super.setUp();
        token = new HookToken();
        (ownerPuppet, executorPuppet, approverPuppet) = (new Puppet(), new Puppet(), new Puppet());
        vault = _newVault(address(ownerPuppet), IERC20(address(token)), ORGANIZATION);
        token.mint(address(vault), FUNDS);
        _as(
            ownerPuppet,
            abi.encodeCall(
                ICountersignVault.configurePolicyAndRecipients,
                (0, _puppetConfig(), 0, _list(recipient), _none())
            )
        );
    }

    function test_executeAutomatic_reverts_insideEveryTransfer() external {
        _blockedEverywhere(executorPuppet, _orderNamed("inner").automaticCall());
    }

    function test_executeApproved_reverts_insideEveryTransfer() external {
        Order memory order = _orderNamed("inner");
        _blockedEverywhere(executorPuppet, order.approvedCall(_signed(order)));
    }

    function test_deposit_reverts_insideEveryTransfer() external {
        token.mint(address(approverPuppet), AMOUNT);
        _blockedEverywhere(approverPuppet, abi.encodeCall(ICountersignVault.deposit, (AMOUNT)));
    }

    function test_withdraw_reverts_insideEveryTransfer() external {
        _blockedEverywhere(ownerPuppet, abi.encodeCall(ICountersignVault.withdraw, (AMOUNT)));
    }

    function test_rescue_reverts_insideEveryTransfer() external {
        bytes memory data = abi.encodeCall(ICountersignVault.rescue, (IERC20(address(usdc)), 1));
        _blockedEverywhere(ownerPuppet, data);
    }

    /// @dev The stray token calls back: not even then can anything leave twice.
    function test_withdraw_reverts_insideARescue() external {
        HookToken stray = new HookToken();
        stray.mint(address(vault), 5);
        bytes memory inner = abi.encodeCall(ICountersignVault.withdraw, (1));
        stray.arm(ownerPuppet, address(vault), inner);
        _as(ownerPuppet, abi.encodeCall(ICountersignVault.rescue, (IERC20(address(stray)), 5)));
        vm.assertFalse(stray.hookSucceeded(), "inner call");
        vm.assertEq(
            stray.hookAnswer(),
            _is(ReentrancyGuard.ReentrancyGuardReentrantCall.selector),
            "inner error"
        );
        vm.assertEq(token.balanceOf(address(vault)), FUNDS, "vault");
    }

    /// @dev Not guarded, and harmless: the payment under way was checked and counted already.
    function test_emergencyPause_succeeds_insideAPayment() external {
        token.arm(approverPuppet, address(vault), abi.encodeCall(vault.emergencyPause, ()));
        _paysOnce();
        vm.assertTrue(token.hookSucceeded(), "inner call");
        vm.assertTrue(vault.policy().paused, "paused");
    }

    function test_invalidateApproval_succeeds_insideAPayment() external {
        bytes32 digest = _digest(_orderNamed("outer"));
        token.arm(ownerPuppet, address(vault), abi.encodeCall(vault.invalidateApproval, (digest)));
        _paysOnce();
        vm.assertTrue(vault.approvalInvalidated(address(ownerPuppet), digest), "invalidated");
    }

    /// @dev A policy made inside a payment sees the payment as spent.
    function test_configurePolicy_reverts_insideAPaymentThatUsedTheCapUp() external {
        IVaultRecords.PolicyConfig memory config = _puppetConfig();
        (config.automaticCap, config.approvedCap) = (0, 0);
        config.lifetimeCap = uint128(AMOUNT - 1);
        token.arm(
            ownerPuppet, address(vault), abi.encodeCall(vault.configurePolicy, (1, config))
        );
        _paysOnce();
        vm.assertFalse(token.hookSucceeded(), "inner call");
        vm.assertEq(
            token.hookAnswer(),
            abi.encodeWithSelector(
                IVaultRecords.InvalidConfig.selector, bytes32("lifetimeCap.belowSpentTotal")
            ),
            "error"
        );
    }

    function test_configurePolicy_succeeds_insideAPaymentAndCountsFromThen() external {
        token.arm(
            ownerPuppet, address(vault), abi.encodeCall(vault.configurePolicy, (1, _puppetConfig()))
        );
        _paysOnce();
        vm.assertTrue(token.hookSucceeded(), "inner call");
        vm.assertEq(vault.policyVersion(), 2, "version");
    }

    /// @dev Money that comes back or goes on in the middle is not the exact amount any more.
    function test_executeAutomatic_reverts_whenTheRecipientSendsMoneyBack() external {
        token.mint(address(approverPuppet), 1);
        token.arm(
            approverPuppet, address(token), abi.encodeCall(token.transfer, (address(vault), 1))
        );
        _reverts(
            address(executorPuppet),
            _orderNamed("outer").automaticCall(),
            abi.encodeWithSelector(
                IVaultRecords.UnexpectedTokenDelta.selector, FUNDS - AMOUNT, FUNDS - AMOUNT + 1
            )
        );
    }

    function test_deposit_reverts_whenMoreArrivesMeanwhile() external {
        token.mint(address(approverPuppet), AMOUNT + 1);
        token.arm(
            approverPuppet, address(token), abi.encodeCall(token.transfer, (address(vault), 1))
        );
        _reverts(
            address(approverPuppet),
            abi.encodeCall(ICountersignVault.deposit, (AMOUNT)),
            abi.encodeWithSelector(
                IVaultRecords.UnexpectedTokenDelta.selector, FUNDS + AMOUNT, FUNDS + AMOUNT + 1
            )
        );
    }

    function _blockedEverywhere(Puppet caller, bytes memory inner) private {
        Order memory order = _orderNamed("outer");
        token.arm(caller, address(vault), inner);
        _as(executorPuppet, order.automaticCall());
        _wasBlocked("in executeAutomatic");
        order = _orderNamed("approved");
        token.arm(caller, address(vault), inner);
        _as(executorPuppet, order.approvedCall(_signed(order)));
        _wasBlocked("in executeApproved");
        token.arm(caller, address(vault), inner);
        _as(ownerPuppet, abi.encodeCall(ICountersignVault.withdraw, (AMOUNT)));
        _wasBlocked("in withdraw");
        token.mint(address(ownerPuppet), AMOUNT);
        token.arm(caller, address(vault), inner);
        _as(ownerPuppet, abi.encodeCall(ICountersignVault.deposit, (AMOUNT)));
        _wasBlocked("in deposit");
        vm.assertEq(token.balanceOf(address(vault)), FUNDS - 2 * AMOUNT, "vault");
        vm.assertEq(vault.spentTotal(), 2 * AMOUNT, "spentTotal");
    }

    function _wasBlocked(string memory where) private view {
        vm.assertFalse(token.hookSucceeded(), where);
        vm.assertEq(
            token.hookAnswer(), _is(ReentrancyGuard.ReentrancyGuardReentrantCall.selector), where
        );
    }

    function _paysOnce() private {
        _as(executorPuppet, _orderNamed("outer").automaticCall());
        vm.assertEq(token.balanceOf(recipient), AMOUNT, "recipient");
        vm.assertEq(vault.spentTotal(), AMOUNT, "spentTotal");
    }

    function _as(Puppet puppet, bytes memory data) private {
        _succeeds(address(puppet), data);
    }

    function _orderNamed(string memory name) private view returns (Order memory order) {
        order = _order();
        order.paymentId = keccak256(bytes(name));
    }

    function _puppetConfig() private view returns (IVaultRecords.PolicyConfig memory config) {
        config = _config();
        config.executor = address(executorPuppet);
        config.approvers[1] = address(approverPuppet);
    }
}
