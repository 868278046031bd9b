// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC5267} from "@openzeppelin/contracts/interfaces/IERC5267.sol";
import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {vm, Vm} from "../base/Vm.sol";
import {VaultTest} from "../base/VaultTest.sol";

contract ConstructorTest is VaultTest {
    bytes private constant ZERO = abi.encodePacked(IVaultRecords.ZeroAddress.selector);

    function test_constructor_succeeds_withItsArguments() external {
        ICountersignVault made = _newVault(stranger, IERC20(address(usdc)), "organization");
        vm.assertEq(made.owner(), stranger, "owner");
        vm.assertEq(address(made.token()), address(usdc), "token");
        vm.assertEq(made.organizationHash(), "organization", "organizationHash");
        vm.assertEq(made.policyVersion(), 0, "policyVersion");
        vm.assertEq(made.spentTotal(), 0, "spentTotal");
        vm.assertEq(made.changeDelaySeconds(), 0, "changeDelaySeconds");
        vm.assertEq(made.pauseNumber(), 0, "pauseNumber");
        vm.assertEq(made.recipientsVersion(), 0, "recipientsVersion");
        IVaultRecords.Policy memory none;
        vm.assertEq(abi.encode(made.policy()), abi.encode(none), "policy");
    }

    function test_constructor_succeeds_withAnyDelayUpToSevenDays(uint32 delay) external {
        delay = uint32(_bound(delay, 0, 7 days));
        vm.assertEq(_delayed(delay).changeDelaySeconds(), delay, "changeDelaySeconds");
        vm.assertEq(_delayed(7 days).changeDelaySeconds(), 7 days, "changeDelaySeconds");
    }

    function test_constructor_succeeds_andSaysSo() external {
        vm.recordLogs();
        ICountersignVault made = _delayed(7);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1, "logs");
        vm.assertEq(logs[0].emitter, address(made), "emitter");
        vm.assertEq(logs[0].topics[0], IVaultRecords.VaultCreated.selector, "event");
        vm.assertEq(logs[0].topics[1], bytes32(uint256(uint160(stranger))), "owner");
        vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(address(usdc)))), "token");
        vm.assertEq(logs[0].topics[3], "organization", "organizationHash");
        vm.assertEq(logs[0].data, abi.encode(uint32(7)), "changeDelaySeconds");
    }

    function test_constructor_succeeds_withTheDomainThatWalletsShow() external view {
        (, string memory name, string memory version, uint256 chain, address verifier,,) =
            IERC5267(address(vault)).eip712Domain();
        vm.assertEq(bytes(name), "CountersignVault", "name");
        vm.assertEq(bytes(version), "1", "version");
        vm.assertEq(chain, block.chainid, "chain");
        vm.assertEq(verifier, address(vault), "verifying contract");
    }

    function test_constructor_reverts_whenTheOwnerIsZero() external {
        _refused(_vaultCode(address(0), IERC20(address(usdc)), ORGANIZATION, 0), ZERO);
    }

    function test_constructor_reverts_whenTheTokenIsZero() external {
        _refused(_vaultCode(owner, IERC20(address(0)), ORGANIZATION, 0), ZERO);
    }

    function test_constructor_reverts_whenTheOrganizationHashIsZero() external {
        _refused(_vaultCode(owner, IERC20(address(usdc)), bytes32(0), 0), ZERO);
    }

    function test_constructor_reverts_whenTheDelayIsTooLong(uint32 delay) external {
        delay = uint32(_bound(delay, 7 days + 1, type(uint32).max));
        IERC20 token = IERC20(address(usdc));
        bytes memory err = _invalid("changeDelaySeconds.tooLong");
        _refused(_vaultCode(owner, token, ORGANIZATION, delay), err);
        _refused(_vaultCode(owner, token, ORGANIZATION, 7 days + 1), err);
    }

    function test_constructor_reverts_whenSentNativeCurrency() external {
        (bool ok,) = address(vault).call{value: 1}("");
        vm.assertFalse(ok, "plain transfer");
        (ok,) = address(vault).call{value: 1}(
            abi.encodeCall(ICountersignVault.invalidateApproval, (bytes32(0)))
        );
        vm.assertFalse(ok, "with a call");
        (ok,) = address(vault).call("unknown function");
        vm.assertFalse(ok, "no fallback");
        vm.assertEq(address(vault).balance, 0, "native balance");
    }

    function make(bytes memory code) external returns (address) {
        return _create(code);
    }

    function _delayed(uint32 delay) private returns (ICountersignVault) {
        IERC20 token = IERC20(address(usdc));
        return ICountersignVault(_create(_vaultCode(stranger, token, "organization", delay)));
    }

    function _refused(bytes memory code, bytes memory err) private {
        (bool ok, bytes memory answer) =
            address(this).call(abi.encodeCall(ConstructorTest.make, (code)));
        vm.assertFalse(ok, "deployment");
        vm.assertEq(answer, err, "error");
    }
}
