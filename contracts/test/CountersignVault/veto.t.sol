// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "../../src/ICountersignVault.sol";
import {IVaultRecords} from "../../src/IVaultRecords.sol";
import {PolicyTest} from "../base/PolicyTest.sol";
import {vm} from "../base/Vm.sol";

contract VetoTest is PolicyTest {
    uint32 private constant DELAY = 2 days;

    function setUp() public override {
        super.setUp();
        _delayVault(DELAY);
    }

    function test_veto_succeeds_forTheOwner() external {
        _voids(owner);
    }

    function test_veto_succeeds_forAnyApprover() external {
        _voids(approver);
        _voids(second);
    }

    function test_veto_succeeds_andSaysWho() external {
        bytes32 id = _propose(_withTiers());
        vm.expectEmit(address(vault));
        emit IVaultRecords.PolicyVetoed(id, second);
        _succeeds(second, _data(id));
    }

    /// @dev An approver who is not in the proposal may well have something against it.
    function test_veto_succeeds_untilThePolicyIsInForce() external {
        bytes32 id = _propose(_withTiers());
        vm.warp(NOW + DELAY + 7 days);
        _succeeds(approver, _data(id));
        vm.assertEq(vault.proposal().id, 0, "proposal");
    }

    function test_veto_succeeds_andLeavesTheNextProposalAlone() external {
        _voids(approver);
        _propose(_withTiers());
        vm.warp(NOW + DELAY);
        _succeeds(stranger, _activation(_withTiers()));
    }

    function test_veto_reverts_forAnybodyElse(address caller) external {
        vm.assume(caller != owner && caller != approver && caller != second);
        bytes32 id = _propose(_withTiers());
        _refused(caller, id);
        _refused(executor, id);
        _refused(recipient, id);
        _refused(address(0x1000), id);
    }

    function test_veto_reverts_forARevokedApprover() external {
        bytes32 id = _propose(_withTiers());
        vm.prank(owner);
        vault.revokeApprover(second);
        _refused(second, id);
    }

    function test_veto_reverts_whenAnotherProposalWaits(bytes32 given) external {
        bytes32 id = _propose(_withTiers());
        vm.assume(given != id);
        _reverts(owner, _data(given), _mismatch(given, id));
        _reverts(owner, _data(0), _mismatch(0, id));
    }

    function test_veto_reverts_whenNothingWaits() external {
        _reverts(owner, _data(0), _mismatch(0, 0));
        bytes32 id = _proposalOf(1, _config());
        _reverts(approver, _data(id), _mismatch(id, 0));
    }

    function test_veto_reverts_beforeAnyPolicy() external {
        vault = _newVault(owner, vault.token(), ORGANIZATION);
        _refused(approver, 0);
    }

    function _voids(address by) private {
        bytes32 id = _propose(_withTiers());
        _succeeds(by, _data(id));
        IVaultRecords.Proposal memory none;
        vm.assertEq(abi.encode(vault.proposal()), abi.encode(none), "proposal");
        vm.warp(block.timestamp + DELAY);
        _reverts(owner, _activation(_withTiers()), _mismatch(id, 0));
        vm.warp(NOW);
    }

    function _refused(address caller, bytes32 id) private {
        _reverts(
            caller,
            _data(id),
            abi.encodeWithSelector(IVaultRecords.NotGuardian.selector, caller)
        );
    }

    function _data(bytes32 id) private pure returns (bytes memory) {
        return abi.encodeCall(ICountersignVault.veto, (id));
    }
}
