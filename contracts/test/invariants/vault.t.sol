// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault as V} from "../../src/ICountersignVault.sol";
import {vm} from "../base/Vm.sol";
import {OddToken} from "../mocks/OddToken.sol";
import {Handler} from "./Handler.sol";

/// @notice Promises I1 to I29 under whatever anybody does in whatever order. The actions check
///         every call against the model and name the promise that a call breaks.
abstract contract VaultPromises {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Handler private handler;

    /// @dev Whose changes wait so long.
    function _delay() internal pure virtual returns (uint32);

    /// @dev Name of the file with what was reached, and of the sums in the environment.
    function _name() internal pure virtual returns (string memory);

    function setUp() external {
        vm.warp(1_800_000_000);
        address owner = vm.addr(uint256(keccak256("owner")));
        OddToken token = new OddToken();
        bytes memory code = bytes.concat(
            vm.getCode("CountersignVault.sol:CountersignVault"),
            abi.encode(owner, address(token), keccak256("an organization"), _delay())
        );
        address vault;
        assembly ("memory-safe") {
            vault := create(0, add(code, 0x20), mload(code))
        }
        handler = new Handler(V(vault), token, owner, _delay());
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory list) {
        bytes4[] memory actions = new bytes4[](16);
        actions[0] = handler.configurePolicy.selector;
        actions[1] = handler.activatePolicy.selector;
        actions[2] = handler.changeRecipients.selector;
        actions[3] = handler.guard.selector;
        actions[4] = handler.decide.selector;
        actions[5] = Handler.invalidateApproval.selector;
        actions[6] = Handler.deposit.selector;
        actions[7] = Handler.withdraw.selector;
        actions[8] = Handler.strayMoney.selector;
        actions[9] = Handler.warp.selector;
        actions[10] = Handler.breakToken.selector;
        actions[11] = handler.payApproved.selector;
        actions[12] = handler.payAutomatic.selector;
        actions[13] = handler.payPrepared.selector;
        actions[14] = handler.payWrongly.selector;
        actions[15] = handler.prepare.selector;
        list = new FuzzSelector[](1);
        list[0] = FuzzSelector(address(handler), actions);
    }

    function invariant_theVaultKeepsItsPromises() external view {
        handler.check();
    }

    /// @dev After each run; the sums go over all runs, because one run is too short for a share.
    function afterInvariant() external {
        uint256 calls = _add("CALLS", handler.calls());
        uint256 payCalls = _add("PAY_CALLS", handler.payCalls());
        uint256 paid = _add("PAID", handler.paid());
        string memory folder = vm.envOr("COUNTERSIGN_BUILD", string("contracts/build"));
        vm.writeFile(
            string.concat(folder, "/", _name(), ".json"),
            string.concat(
                _field('{"calls":', calls),
                _field(',"payCalls":', payCalls),
                _field(',"paid":', paid),
                _field(',"paidBySeveral":', _add("SEVERAL", handler.paidBySeveral())),
                _field(',"paidInPeriods":', _add("PERIODS", handler.paidInPeriods())),
                _field(',"activations":', _add("ACTIVATIONS", handler.activations())),
                "}"
            )
        );
        // A thousand are few: a proof of all runs asks for twice that share.
        if (payCalls > 1000) require(paid * 20 >= payCalls, "fewer than 5 % of the payments pass");
        handler.live();
    }

    function _field(string memory name, uint256 value) private pure returns (string memory) {
        return string.concat(name, vm.toString(value));
    }

    function _add(string memory name, uint256 more) private returns (uint256 sum) {
        string memory key = string.concat("COUNTERSIGN_", _name(), "_", name);
        sum = vm.envOr(key, uint256(0)) + more;
        vm.setEnv(key, vm.toString(sum));
    }
}

/// @notice Changes count at once.
contract VaultInvariants is VaultPromises {
    function _delay() internal pure override returns (uint32) {
        return 0;
    }

    function _name() internal pure override returns (string memory) {
        return "invariants";
    }
}

/// @notice Changes wait for six hours.
contract DelayedVaultInvariants is VaultPromises {
    function _delay() internal pure override returns (uint32) {
        return 6 hours;
    }

    function _name() internal pure override returns (string memory) {
        return "invariants-delayed";
    }
}
