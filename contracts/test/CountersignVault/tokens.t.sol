// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";
import {OddToken} from "../mocks/OddToken.sol";

/// @notice Tokens that do not do what they are told: the exact amount moves, or nothing at all.
contract TokensTest is VaultTest {
    uint256 private constant AMOUNT = 100e6;
    OddToken private odd;

    function setUp() public override {
        super.setUp();
        odd = new OddToken();
        vault = _newVault(owner, IERC20(address(odd)), ORGANIZATION);
        odd.mint(address(vault), FUNDS);
        odd.mint(stranger, FUNDS);
        _configure(_config());
    }

    function test_executeApproved_succeeds_withTokensThatAnswerOddly() external {
        _pays(OddToken.Kind.Plain);
        _pays(OddToken.Kind.ReturnsNothing);
        _pays(OddToken.Kind.ReturnsMore);
    }

    function test_executeApproved_reverts_whenTheTokenAnswersFalse() external {
        _refusesToPay(OddToken.Kind.ReturnsFalse, _failed());
        _refusesToPay(OddToken.Kind.ReturnsTwo, _failed());
    }

    function test_executeApproved_reverts_whenTheTokenTakesAFee() external {
        _refusesToPay(OddToken.Kind.TakesAFee, _delta(AMOUNT, AMOUNT - 1));
    }

    function test_executeApproved_reverts_whenTheTokenMovesNothing() external {
        _refusesToPay(OddToken.Kind.MovesNothing, _delta(FUNDS - AMOUNT, FUNDS));
    }

    function test_executeApproved_reverts_whenTheTokenTakesMore() external {
        _refusesToPay(OddToken.Kind.MovesTwice, _delta(FUNDS - AMOUNT, FUNDS - AMOUNT - 1));
    }

    function test_executeApproved_reverts_whenTheTokenRebases() external {
        _refusesToPay(OddToken.Kind.RebasesUp, _delta(FUNDS - AMOUNT, FUNDS - AMOUNT + 1));
        _refusesToPay(OddToken.Kind.RebasesDown, _delta(FUNDS - AMOUNT, (FUNDS - AMOUNT) / 2));
    }

    function test_executeApproved_reverts_whenTheTokenPaysSomebodyElse() external {
        _refusesToPay(OddToken.Kind.PaysAnother, _delta(AMOUNT, 0));
    }

    function test_executeApproved_reverts_whenTheTokenHidesBalances() external {
        _refusesToPay(OddToken.Kind.HidesBalances, _hidden());
    }

    function test_executeApproved_reverts_whenTheTokenSaysNothing() external {
        _refusesToPay(OddToken.Kind.RevertsSilently, "");
    }

    function test_executeApproved_succeeds_onceTheTokenBehavesAgain() external {
        _refusesToPay(OddToken.Kind.TakesAFee, _delta(AMOUNT, AMOUNT - 1));
        _pays(OddToken.Kind.Plain);
    }

    function test_deposit_succeeds_withTokensThatAnswerOddly() external {
        _deposits(OddToken.Kind.Plain);
        _deposits(OddToken.Kind.ReturnsNothing);
        _deposits(OddToken.Kind.ReturnsMore);
        _deposits(OddToken.Kind.MovesTwice);
    }

    function test_deposit_reverts_whenTheTokenMisbehaves() external {
        _refusesDeposit(OddToken.Kind.ReturnsFalse, _failed());
        _refusesDeposit(OddToken.Kind.TakesAFee, _delta(FUNDS + AMOUNT, FUNDS + AMOUNT - 1));
        _refusesDeposit(OddToken.Kind.MovesNothing, _delta(FUNDS + AMOUNT, FUNDS));
        _refusesDeposit(OddToken.Kind.PaysAnother, _delta(FUNDS + AMOUNT, FUNDS));
        _refusesDeposit(OddToken.Kind.RebasesUp, _delta(FUNDS + AMOUNT, FUNDS + AMOUNT + 1));
        _refusesDeposit(OddToken.Kind.RebasesDown, _delta(FUNDS + AMOUNT, (FUNDS + AMOUNT) / 2));
        _refusesDeposit(OddToken.Kind.HidesBalances, _hidden());
        _refusesDeposit(OddToken.Kind.RevertsSilently, "");
    }

    /// @dev The way out works with every token that still moves at all.
    function test_withdraw_succeeds_whateverTheTokenHasBecome() external {
        _withdraws(OddToken.Kind.TakesAFee);
        _withdraws(OddToken.Kind.ReturnsNothing);
        _withdraws(OddToken.Kind.ReturnsMore);
        _withdraws(OddToken.Kind.RebasesUp);
        _withdraws(OddToken.Kind.RebasesDown);
        _withdraws(OddToken.Kind.HidesBalances);
        _withdraws(OddToken.Kind.MovesTwice);
    }

    function test_withdraw_reverts_whenTheTokenSaysItFailed() external {
        odd.become(OddToken.Kind.ReturnsFalse);
        _reverts(owner, abi.encodeCall(ICountersignVault.withdraw, (1)), _failed());
    }

    function _pays(OddToken.Kind kind) private {
        odd.become(kind);
        uint256 before = odd.balanceOf(recipient);
        bytes32 id = keccak256(abi.encode(kind));
        vm.prank(executor);
        vault.executeAutomatic(id, recipient, AMOUNT, 1, 0, 0, uint64(NOW));
        vm.assertEq(odd.balanceOf(recipient), before + AMOUNT, "recipient");
    }

    function _refusesToPay(OddToken.Kind kind, bytes memory err) private {
        odd.become(kind);
        _automaticReverts(_order(), err);
        _approvedReverts(_order(), err);
        odd.become(OddToken.Kind.Plain);
        vm.assertFalse(vault.paymentExecuted(_order().paymentId), "paymentExecuted");
        vm.assertEq(odd.balanceOf(address(vault)), FUNDS, "vault");
    }

    function _deposits(OddToken.Kind kind) private {
        odd.become(kind);
        uint256 before = odd.balanceOf(address(vault));
        _succeeds(stranger, abi.encodeCall(ICountersignVault.deposit, (AMOUNT)));
        vm.assertEq(odd.balanceOf(address(vault)), before + AMOUNT, "vault");
    }

    function _refusesDeposit(OddToken.Kind kind, bytes memory err) private {
        odd.become(kind);
        _reverts(stranger, abi.encodeCall(ICountersignVault.deposit, (AMOUNT)), err);
    }

    function _withdraws(OddToken.Kind kind) private {
        odd.become(kind);
        _succeeds(owner, abi.encodeCall(ICountersignVault.withdraw, (AMOUNT)));
    }

    function _failed() private view returns (bytes memory) {
        return abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(odd));
    }

    function _hidden() private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", "no balances today");
    }

    function _delta(uint256 expected, uint256 actual) private pure returns (bytes memory) {
        return abi.encodeWithSelector(
            IVaultRecords.UnexpectedTokenDelta.selector, expected, actual
        );
    }
}
