// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {vm} from "../base/Vm.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {Handler} from "./Handler.sol";

/// @notice Promises I1 to I22 under whatever anybody does in whatever order. The actions check
///         every call against the model and name the promise that a call breaks.
contract VaultInvariants {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Handler private handler;

    function setUp() external {
        vm.warp(1_800_000_000);
        address owner = vm.addr(uint256(keccak256("owner")));
        OddToken token = new OddToken();
        bytes memory code = bytes.concat(
            vm.getCode("CountersignVault.sol:CountersignVault"),
            abi.encode(owner, address(token), keccak256("an organization"))
        );
        address vault;
        assembly ("memory-safe") {
            vault := create(0, add(code, 0x20), mload(code))
        }
        handler = new Handler(V(vault), token, owner);
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory list) {
        bytes4[] memory actions = new bytes4[](15);
        actions[0] = Handler.configurePolicy.selector;
        actions[1] = Handler.emergencyPause.selector;
        actions[2] = Handler.invalidateApproval.selector;
        actions[3] = Handler.deposit.selector;
        actions[4] = Handler.withdraw.selector;
        actions[5] = Handler.transferIn.selector;
        actions[6] = Handler.sendNative.selector;
        actions[7] = Handler.warp.selector;
        actions[8] = Handler.breakToken.selector;
        actions[9] = Handler.blacklist.selector;
        actions[10] = handler.payApproved.selector;
        actions[11] = handler.payAutomatic.selector;
        actions[12] = handler.payPrepared.selector;
        actions[13] = handler.payWrongly.selector;
        actions[14] = handler.prepare.selector;
        list = new FuzzSelector[](1);
        list[0] = FuzzSelector(address(handler), actions);
    }

    function invariant_theVaultKeepsItsPromises() external view {
        handler.check();
    }

    /// @dev After each run; the sums go over all runs, because one run is too short for a share.
    function afterInvariant() external {
        uint256 calls = _add("COUNTERSIGN_CALLS", handler.calls());
        uint256 payCalls = _add("COUNTERSIGN_PAY_CALLS", handler.payCalls());
        uint256 paid = _add("COUNTERSIGN_PAID", handler.paid());
        vm.writeFile(
            string.concat(
                vm.envOr("COUNTERSIGN_BUILD", string("contracts/build")), "/invariants.json"
            ),
            string.concat(
                '{"calls":',
                vm.toString(calls),
                ',"payCalls":',
                vm.toString(payCalls),
                ',"paid":',
                vm.toString(paid),
                "}"
            )
        );
        if (payCalls > 1000) require(paid * 10 >= payCalls, "fewer than 10 % of the payments pass");
        handler.live();
    }

    function _add(string memory name, uint256 more) private returns (uint256 sum) {
        sum = vm.envOr(name, uint256(0)) + more;
        vm.setEnv(name, vm.toString(sum));
    }
}
