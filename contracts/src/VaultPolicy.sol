// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ICountersignVault} from "./ICountersignVault.sol";
import {PolicyRules} from "./PolicyRules.sol";
import {VaultLimits} from "./VaultLimits.sol";

/// @title How the policy changes
/// @notice Policies that take effect at once or wait, revoked approvers, and pauses. Pauses and
///         revocations never wait.
abstract contract VaultPolicy is VaultLimits {
    /// @dev How long a policy that has waited long enough can be activated.
    uint256 private constant ACTIVATION_WINDOW = 7 days;

    /// @inheritdoc ICountersignVault
    uint64 public pauseNumber;

    uint64 private _revocationNumber;

    Proposal private _proposal;

    /// @inheritdoc ICountersignVault
    function configurePolicy(uint64 expectedVersion, PolicyConfig calldata config)
        public
        onlyOwner
    {
        if (policyVersion == 0 || changeDelaySeconds == 0) {
            // No policy can be waiting here, so there is none to clear.
            _putInForce(expectedVersion, config, config.paused, _revocationNumber);
        } else {
            _propose(expectedVersion, config);
        }
    }

    /// @inheritdoc ICountersignVault
    function activatePolicy(uint64 expectedVersion, PolicyConfig calldata config) external {
        Proposal memory waiting = _proposal;
        bytes32 id = keccak256(abi.encode(expectedVersion, config));
        if (id != waiting.id) revert ProposalMismatch(id, waiting.id);
        if (block.timestamp < waiting.activatesAt) {
            revert TooEarly(block.timestamp, waiting.activatesAt);
        }
        uint256 expiredAt = waiting.activatesAt + ACTIVATION_WINDOW;
        if (block.timestamp >= expiredAt) revert ProposalExpired(block.timestamp, expiredAt);
        delete _proposal;
        bool staysPaused = _policy.paused && pauseNumber > waiting.pauseNumber;
        _putInForce(
            expectedVersion, config, config.paused || staysPaused, waiting.revocationNumber
        );
    }

    /// @inheritdoc ICountersignVault
    function veto(bytes32 id) external onlyOwnerOrApprover {
        bytes32 waiting = _proposal.id;
        if (id != waiting || id == 0) revert ProposalMismatch(id, waiting);
        delete _proposal;
        emit PolicyVetoed(id, msg.sender);
    }

    /// @inheritdoc ICountersignVault
    function revokeApprover(address approver) external onlyOwner {
        if (!_isApprover(approver)) revert ApproverNotAllowed(approver, policyVersion);
        _accounts[approver].approverOf = 0;
        _accounts[approver].revokedAs = ++_revocationNumber;
        emit ApproverRevoked(policyVersion, approver);
    }

    /// @inheritdoc ICountersignVault
    function emergencyPause() external {
        bool isGuardian = msg.sender == owner || msg.sender == _policy.executor
            || _isApprover(msg.sender);
        if (!isGuardian) revert NotGuardian(msg.sender);
        _policy.paused = true;
        emit EmergencyPaused(policyVersion, msg.sender, ++pauseNumber);
    }

    /// @inheritdoc ICountersignVault
    function unpause(uint64 number) external onlyOwner {
        if (!_policy.paused || number != pauseNumber) revert PauseMismatch(number, pauseNumber);
        _policy.paused = false;
        emit Unpaused(policyVersion, number);
    }

    /// @inheritdoc ICountersignVault
    function proposal() external view returns (Proposal memory) {
        return _proposal;
    }

    function _propose(uint64 expectedVersion, PolicyConfig calldata config) private {
        if (expectedVersion != policyVersion) {
            revert VersionMismatch(expectedVersion, policyVersion);
        }
        PolicyRules.check(config, owner, address(token), spentTotal);
        bytes32 id = keccak256(abi.encode(expectedVersion, config));
        uint64 activatesAt = uint64(block.timestamp + changeDelaySeconds);
        _proposal = Proposal(id, activatesAt, pauseNumber, _revocationNumber);
        emit PolicyProposed(id, expectedVersion, activatesAt, config);
    }

    function _putInForce(
        uint64 expectedVersion,
        PolicyConfig calldata config,
        bool paused,
        uint64 revocationNumber
    ) private {
        uint64 version = policyVersion;
        if (expectedVersion != version) revert VersionMismatch(expectedVersion, version);
        PolicyRules.check(config, owner, address(token), spentTotal);
        ++version;
        _setLimits(version, config, paused);
        for (uint256 i = 0; i < config.approvers.length; ++i) {
            Account storage approver = _accounts[config.approvers[i]];
            PolicyRules.require_(approver.revokedAs <= revocationNumber, "approvers.revoked");
            approver.approverOf = version;
        }
        if (config.paused) ++pauseNumber;
        emit PolicyConfigured(version, config.executor, config);
    }
}
