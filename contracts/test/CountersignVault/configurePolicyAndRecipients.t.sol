// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {PolicyTest} from "../base/PolicyTest.sol";
import {vm, Vm} from "../base/Vm.sol";

contract ConfigurePolicyAndRecipientsTest is PolicyTest {
    function test_configurePolicyAndRecipients_succeeds_andSetsUpAVault() external {
        bytes memory code = _vaultCode(owner, vault.token(), ORGANIZATION, 7 days);
        vault = ICountersignVault(_create(code));
        usdc.mint(address(vault), FUNDS);
        _succeeds(owner, _data(0, _config(), 0, _list(recipient), _none()));
        vm.assertEq(vault.policyVersion(), 1, "policyVersion");
        vm.assertEq(vault.recipientsVersion(), 1, "recipientsVersion");
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, NOW, "allowedFrom");
        _approves(_order());
    }

    function test_configurePolicyAndRecipients_succeeds_withBothAtOnce() external {
        _succeeds(owner, _data(1, _withTiers(), 1, _list(stranger), _list(recipient)));
        vm.assertEq(vault.policyVersion(), 2, "policyVersion");
        vm.assertEq(abi.encode(vault.policy()), abi.encode(_policyOf(_withTiers())), "policy");
        vm.assertEq(vault.recipientOf(stranger).allowedFrom, NOW, "added");
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, 0, "removed");
    }

    /// @dev The policy waits; removals count at once, additions after the delay.
    function test_configurePolicyAndRecipients_succeeds_andOnlyProposesThePolicy() external {
        _delayVault(1 days);
        _succeeds(owner, _data(1, _withTiers(), 1, _list(stranger), _list(recipient)));
        vm.assertEq(vault.policyVersion(), 1, "policyVersion");
        vm.assertEq(vault.proposal().id, _proposalOf(1, _withTiers()), "proposal");
        vm.assertEq(vault.recipientOf(stranger).allowedFrom, NOW + 1 days, "added");
        vm.assertEq(vault.recipientOf(recipient).allowedFrom, 0, "removed");
        vm.assertEq(vault.recipientsVersion(), 2, "recipientsVersion");
    }

    function test_configurePolicyAndRecipients_succeeds_andSaysThePolicyFirst() external {
        vm.recordLogs();
        _succeeds(owner, _data(1, _config(), 1, _list(stranger), _none()));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2, "logs");
        vm.assertEq(logs[0].topics[0], IVaultRecords.PolicyConfigured.selector, "policy");
        vm.assertEq(logs[1].topics[0], IVaultRecords.RecipientsChanged.selector, "recipients");
        vm.assertEq(logs[1].topics[1], bytes32(uint256(2)), "recipientsVersion");
        vm.assertEq(
            logs[1].data, abi.encode(uint64(NOW), _list(stranger), _none()), "the difference"
        );
    }

    /// @dev The new policy's roles count for the new recipients.
    function test_configurePolicyAndRecipients_reverts_whenARecipientGetsARole() external {
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _list(stranger);
        _reverts(
            owner,
            _data(1, config, 1, _list(stranger), _none()),
            _invalid("recipients.approver")
        );
        config = _config();
        config.executor = stranger;
        _reverts(
            owner,
            _data(1, config, 1, _list(stranger), _none()),
            _invalid("recipients.executor")
        );
    }

    function test_configurePolicyAndRecipients_reverts_whenEitherIsWrong() external {
        _reverts(
            owner, _data(1, _config(), 1, _none(), _none()), _invalid("recipients.none")
        );
        IVaultRecords.PolicyConfig memory config = _config();
        config.approvers = _none();
        _reverts(
            owner, _data(1, config, 1, _list(stranger), _none()), _invalid("approvers.none")
        );
    }

    function test_configurePolicyAndRecipients_reverts_whenNotTheOwner(address caller) external {
        vm.assume(caller != owner);
        _reverts(
            caller,
            _data(1, _config(), 1, _list(stranger), _none()),
            abi.encodeWithSelector(IVaultRecords.NotOwner.selector, caller, owner)
        );
    }

    function test_configurePolicyAndRecipients_reverts_whenAVersionIsAnother(uint64 version)
        external
    {
        vm.assume(version != 1);
        _reverts(
            owner,
            _data(version, _config(), 1, _list(stranger), _none()),
            abi.encodeWithSelector(IVaultRecords.VersionMismatch.selector, version, uint64(1))
        );
        _reverts(
            owner,
            _data(1, _config(), version, _list(stranger), _none()),
            abi.encodeWithSelector(
                IVaultRecords.RecipientsVersionMismatch.selector, version, uint64(1)
            )
        );
    }

    function _data(
        uint64 version,
        IVaultRecords.PolicyConfig memory config,
        uint64 recipientsVersion,
        address[] memory add,
        address[] memory remove
    ) private pure returns (bytes memory) {
        return abi.encodeCall(
            ICountersignVault.configurePolicyAndRecipients,
            (version, config, recipientsVersion, add, remove)
        );
    }
}
