// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";
import {ContractWallet, OddWallet} from "../mocks/Wallets.sol";

/// @notice Which bytes count as the approver's signature.
contract ExecuteApprovedSignaturesTest is VaultTest {
    using Orders for Order;

    function test_executeApproved_reverts_whenTheSignatureIsMalleable() external {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(approverKey, _digest(_order()));
        bytes32 high = bytes32(N - uint256(s));
        _worthless(abi.encodePacked(r, high, v == 27 ? uint8(28) : uint8(27)));
    }

    function test_executeApproved_reverts_whenVIsZeroOrOne() external {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(approverKey, _digest(_order()));
        _worthless(abi.encodePacked(r, s, v - 27));
    }

    function test_executeApproved_reverts_whenVIsTheOther() external {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(approverKey, _digest(_order()));
        _worthless(abi.encodePacked(r, s, v == 27 ? uint8(28) : uint8(27)));
    }

    function test_executeApproved_reverts_whenTheSignatureIsCompact() external {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(approverKey, _digest(_order()));
        _worthless(abi.encodePacked(r, bytes32(uint256(s) | (uint256(v - 27) << 255))));
    }

    function test_executeApproved_reverts_whenTheSignatureIsLonger() external {
        _worthless(bytes.concat(_signed(_order()), hex"00"));
    }

    function test_executeApproved_reverts_whenTheSignatureIsEmpty() external {
        _worthless("");
    }

    function test_executeApproved_reverts_whenTheSignatureIsZero() external {
        _worthless(new bytes(65));
    }

    function test_executeApproved_reverts_whenTheSignatureIsNoise(bytes memory noise) external {
        _worthless(noise);
    }

    function test_executeApproved_reverts_whenAnotherKeySigned(uint256 key) external {
        key = _bound(key, 1, N - 1);
        vm.assume(key != approverKey);
        _worthless(_sign(key, _digest(_order())));
    }

    function test_executeApproved_reverts_whenTheSecondApproverSignedForTheFirst() external {
        _worthless(_sign(secondKey, _digest(_order())));
    }

    function test_executeApproved_reverts_whenSignedAsAMessage() external {
        bytes32 digest = _digest(_order());
        _worthless(
            _sign(approverKey, keccak256(bytes.concat("\x19Ethereum Signed Message:\n32", digest)))
        );
    }

    function test_executeApproved_succeeds_whenAContractAgrees(bytes memory signature) external {
        ContractWallet wallet = new ContractWallet();
        Order memory order = _orderOf(address(wallet));
        wallet.accept(_digest(order), signature);
        _succeeds(executor, order.approvedCall(signature));
    }

    function test_executeApproved_succeeds_whenAContractAnswersAtLength() external {
        Order memory order = _orderOf(address(new OddWallet(OddWallet.Kind.Long)));
        _succeeds(executor, order.approvedCall(""));
    }

    function test_executeApproved_reverts_whenAContractDisagrees() external {
        ContractWallet wallet = new ContractWallet();
        Order memory order = _orderOf(address(wallet));
        wallet.accept(_digest(order), "this");
        _worthless(order, "that");
        order.amount += 1;
        _worthless(order, "this");
    }

    function test_executeApproved_reverts_whenAContractReverts() external {
        _odd(OddWallet.Kind.Reverting);
    }

    function test_executeApproved_reverts_whenAContractBurnsAllGas() external {
        Order memory order = _orderOf(address(new OddWallet(OddWallet.Kind.Burning)));
        bytes memory data = order.approvedCall("");
        vm.prank(executor);
        (bool ok, bytes memory answer) = address(vault).call{gas: 3_000_000}(data);
        vm.assertFalse(ok, "the call should be refused");
        vm.assertEq(answer, _invalid(order), "error");
    }

    function test_executeApproved_reverts_whenAContractSaysNothing() external {
        _odd(OddWallet.Kind.Silent);
    }

    function test_executeApproved_reverts_whenAContractAnswersShort() external {
        _odd(OddWallet.Kind.Short);
    }

    function test_executeApproved_reverts_whenAContractSaysAnotherWord() external {
        _odd(OddWallet.Kind.WrongWord);
        _odd(OddWallet.Kind.BareTrue);
        _odd(OddWallet.Kind.LeftAligned);
    }

    /// @dev EIP-7702: the account has code that accepts nothing, and its key still signs.
    function test_executeApproved_succeeds_whenTheApproverDelegatesItsCode() external {
        _delegate(address(new ContractWallet()));
        _approves(_order());
    }

    function test_executeApproved_succeeds_whenTheDelegateReverts() external {
        _delegate(address(new OddWallet(OddWallet.Kind.Reverting)));
        _approves(_order());
    }

    /// @dev The account chose its delegate: what that accepts counts as its signature too.
    function test_executeApproved_succeeds_whenTheDelegateAgrees() external {
        _delegate(address(new ContractWallet()));
        ContractWallet(approver).accept(_digest(_order()), "session key");
        _succeeds(executor, _order().approvedCall("session key"));
    }

    function test_executeApproved_reverts_whenNeitherKeyNorDelegateAgrees() external {
        _delegate(address(new ContractWallet()));
        _worthless(_sign(secondKey, _digest(_order())));
    }

    function _delegate(address to) private {
        vm.etch(approver, bytes.concat(hex"ef0100", bytes20(to)));
        vm.assertEq(approver.code.length, 23, "delegation");
    }

    function _orderOf(address wallet) private returns (Order memory order) {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(wallet);
        _configure(config);
        order = _order();
        order.approver = wallet;
    }

    function _odd(OddWallet.Kind kind) private {
        _worthless(_orderOf(address(new OddWallet(kind))), "");
    }

    function _worthless(bytes memory signature) private {
        _worthless(_order(), signature);
    }

    function _worthless(Order memory order, bytes memory signature) private {
        _reverts(executor, order.approvedCall(signature), _invalid(order));
    }

    function _invalid(Order memory order) private view returns (bytes memory) {
        return abi.encodeWithSelector(
            IVaultRecords.InvalidSignature.selector, _digest(order), order.approver
        );
    }
}
