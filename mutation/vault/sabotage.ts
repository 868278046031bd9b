/**
 * One wrong vault for each promise I1 to I29, to show that the promise notices what breaks it even
 * when all others are silent. I18 is missing: the EVM itself undoes a refused call.
 */
export type Sabotage = { promise: string; file: string; find: string; replace: string }

const sabotage =
  (file: string) =>
  (promise: string, find: string, replace: string): Sabotage => ({ promise, file, find, replace })

const vault = sabotage('CountersignVault.sol')
const policy = sabotage('VaultPolicy.sol')
const limits = sabotage('VaultLimits.sol')
const recipients = sabotage('VaultRecipients.sol')
const rules = sabotage('PolicyRules.sol')

const leak = [
  '_policy.paused = true;',
  '_policy.paused = true; token.transfer(msg.sender, 1);',
] as const
const unsigned = [
  'if (!_isSignedBy(approver, digest, signature)) revert InvalidSignature(digest, approver);',
  '',
] as const

export const SABOTAGES: readonly Sabotage[] = [
  policy('I1', ...leak),
  limits('I2', 'policyVersion = version;', 'policyVersion = version; spentTotal = 0;'),
  limits('I3', 'if (spentAfter > _policy.lifetimeCap)', 'if (spentAfter > type(uint128).max)'),
  vault('I4', 'paymentExecuted[payment.paymentId] = true;', ''),
  recipients(
    'I5',
    'if (known.allowedFrom == 0 || block.timestamp < known.allowedFrom)',
    'if (recipient == address(0))',
  ),
  vault('I6', 'if (payment.amount > cap)', 'if (payment.amount > 2 * cap)'),
  vault('I7', 'if (balance < needed)', 'if (balance < payment.amount)'),
  vault('I8', 'if (block.timestamp > payment.deadline)', 'if (payment.deadline == 0)'),
  policy('I9', '++version;', 'version += 2;'),
  limits('I10', 'if (msg.sender != owner) revert NotOwner(msg.sender, owner);', ''),
  vault('I11', ...unsigned),
  vault('I12', 'approvalInvalidated[approver][digest] || ', ''),
  vault('I13', 'if (!_policy.automaticEnabled) revert AutomaticDisabled();', ''),
  rules('I14', 'require_(approver != config.executor, "approvers.executor");', ''),
  limits(
    'I15',
    '    /// @dev Refuses everybody but the owner.\n',
    '    receive() external payable {}\n',
  ),
  policy('I16', ...leak),
  vault('I17', 'if (block.timestamp >= expiresAt)', 'if (block.timestamp > expiresAt)'),
  vault('I19', ...unsigned),
  policy('I20', 'if (!isGuardian) revert NotGuardian(msg.sender);', ''),
  vault(
    'I21',
    'if (amount == 0) revert ZeroAmount();\n        emit W',
    'if (amount > 1e6) revert ZeroAmount();\n        emit W',
  ),
  vault('I22', 'if (payment.amount == 0) revert', 'if (payment.amount <= 1) revert'),
  limits('I23', 'if (total > _policy.periodCap)', 'if (amount > _policy.periodCap)'),
  limits(
    'I24',
    'if (isAutomatic && automatic > _policy.automaticPeriodCap)',
    'if (isAutomatic && amount > _policy.automaticPeriodCap)',
  ),
  vault(
    'I25',
    'if (approval.approver <= before) revert ApproversNotAscending(approval.approver);',
    '',
  ),
  recipients('I26', 'if (known.blocked) revert RecipientIsBlocked(recipient);', ''),
  policy(
    'I27',
    'if (!_policy.paused || number != pauseNumber)',
    'if (!_policy.paused || number + 1 != pauseNumber)',
  ),
  policy('I28', 'if (block.timestamp < waiting.activatesAt)', 'if (waiting.activatesAt == 0)'),
  policy('I29', '_policy.paused && pauseNumber > waiting.pauseNumber', 'false'),
]
