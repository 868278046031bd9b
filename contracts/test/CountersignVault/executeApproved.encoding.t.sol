// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {Order, Orders} from "../base/Order.sol";
import {vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

/// @notice The bytes that carry the approvals.
contract ExecuteApprovedEncodingTest is VaultTest {
    using Orders for Order;

    function test_executeApproved_reverts_whenTheApprovalsAreNoise() external {
        Order memory order = _order();
        _reverts(executor, order.encodedCall(""), "");
        _reverts(executor, order.encodedCall(hex"00"), "");
        bytes memory far = abi.encode(uint256(0x20), type(uint256).max);
        (bool ok,) = _call(executor, order.encodedCall(far));
        vm.assertFalse(ok, "a length without end");
    }

    /// @dev Who is not the executor, or late, learns that before anything about signatures.
    function test_executeApproved_reverts_beforeItReadsTheApprovals() external {
        Order memory order = _order();
        _reverts(
            stranger,
            order.encodedCall(""),
            abi.encodeWithSelector(IVaultRecords.NotExecutor.selector, stranger, executor)
        );
        order.version = 2;
        _reverts(
            executor,
            order.encodedCall(""),
            abi.encodeWithSelector(
                IVaultRecords.VersionMismatch.selector, uint64(2), uint64(1)
            )
        );
    }
}
