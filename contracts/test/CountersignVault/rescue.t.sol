// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm} from "../base/Vm.sol";
import {AliasToken, LedgerToken} from "../mocks/AliasToken.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract RescueTest is VaultTest {
    uint256 private constant STRAY = 5_000;
    OddToken private stray;

    function setUp() public override {
        super.setUp();
        stray = new OddToken();
        stray.mint(address(vault), STRAY);
    }

    function test_rescue_succeeds_forTheOwnerOnly(uint256 amount) external {
        amount = _bound(amount, 1, STRAY);
        _succeeds(owner, _data(address(stray), amount));
        vm.assertEq(stray.ledger(owner), amount, "owner");
        vm.assertEq(stray.ledger(address(vault)), STRAY - amount, "left in the vault");
        vm.assertEq(usdc.balanceOf(address(vault)), FUNDS, "own token");
        vm.assertEq(vault.spentTotal(), 0, "spentTotal");
    }

    function test_rescue_succeeds_andSaysSo() external {
        vm.expectEmit(address(vault));
        emit IVaultRecords.Rescued(address(stray), 7);
        _succeeds(owner, _data(address(stray), 7));
    }

    function test_rescue_succeeds_whateverThePolicySays() external {
        vm.prank(approver);
        vault.emergencyPause();
        vm.warp(NOW + 365 days);
        _succeeds(owner, _data(address(stray), STRAY));
    }

    function test_rescue_succeeds_withTokensThatAnswerNothing() external {
        stray.become(OddToken.Kind.ReturnsNothing);
        _succeeds(owner, _data(address(stray), STRAY));
        vm.assertEq(stray.ledger(owner), STRAY, "owner");
    }

    function test_rescue_reverts_forTheVaultsOwnToken() external {
        _reverts(
            owner, _data(address(usdc), 1), _is(IVaultRecords.OwnToken.selector)
        );
    }

    /// @dev A second contract that moves the vault's own token is its own token too.
    function test_rescue_reverts_whenTheOwnTokenMovesByAnotherName() external {
        LedgerToken ledger = new LedgerToken();
        AliasToken other = new AliasToken(ledger);
        vault = _newVault(owner, IERC20(address(ledger)), ORGANIZATION);
        ledger.mint(address(vault), 10);
        _reverts(
            owner,
            _data(address(other), 3),
            abi.encodeWithSelector(IVaultRecords.UnexpectedTokenDelta.selector, 10, 7)
        );
    }

    function test_rescue_reverts_whenNothing() external {
        _reverts(
            owner, _data(address(stray), 0), _is(IVaultRecords.ZeroAmount.selector)
        );
    }

    function test_rescue_reverts_whenTheTokenRefuses() external {
        stray.become(OddToken.Kind.ReturnsFalse);
        _reverts(owner, _data(address(stray), 1), _failed(address(stray)));
    }

    function test_rescue_reverts_whenThereIsNoToken() external {
        _reverts(owner, _data(stranger, 1), _failed(stranger));
    }

    function test_rescue_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner);
        _refused(caller);
        _refused(executor);
        _refused(approver);
        _refused(recipient);
    }

    function _refused(address caller) private {
        _reverts(
            caller,
            _data(address(stray), 1),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function _failed(address token) private pure returns (bytes memory) {
        return abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, token);
    }

    function _data(address other, uint256 amount) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.rescue, (IERC20(other), amount));
    }
}
