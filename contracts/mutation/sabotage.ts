/**
 * One wrong vault for each promise I1 to I22, to show that the promise notices what breaks it even
 * when all others are silent. I18 is missing: the EVM itself undoes a refused call.
 */
export type Sabotage = { promise: string; file: string; find: string; replace: string }

const vault = (promise: string, find: string, replace: string): Sabotage => ({
  promise,
  file: 'CountersignVault.sol',
  find,
  replace,
})

const leak = [
  '_policy.paused = true;',
  '_policy.paused = true; token.transfer(msg.sender, 1);',
] as const
const unsigned = [
  'if (!_isSignedBy(approver, digest, signature)) revert InvalidSignature(digest, approver);',
  '',
] as const

export const SABOTAGES: readonly Sabotage[] = [
  vault('I1', ...leak),
  vault('I2', 'policyVersion = version;', 'policyVersion = version; spentTotal = 0;'),
  vault('I3', 'if (spentAfter > _policy.lifetimeCap)', 'if (spentAfter > type(uint128).max)'),
  vault('I4', 'paymentExecuted[payment.paymentId] = true;', ''),
  vault(
    'I5',
    'if (!isRecipient[payment.policyVersion][payment.recipient])',
    'if (payment.amount == 0)',
  ),
  vault('I6', 'if (payment.amount > cap)', 'if (payment.amount > 2 * cap)'),
  vault('I7', 'if (balance < needed)', 'if (balance < payment.amount)'),
  vault('I8', 'if (block.timestamp > payment.deadline)', 'if (payment.deadline == 0)'),
  vault('I9', '++version;', 'version += 2;'),
  vault('I10', 'if (msg.sender != owner) revert NotOwner(msg.sender, owner);', ''),
  vault('I11', ...unsigned),
  vault('I12', 'approvalInvalidated[approver][digest] || ', ''),
  vault('I13', 'if (!_policy.automaticEnabled) revert AutomaticDisabled();', ''),
  {
    promise: 'I14',
    file: 'PolicyRules.sol',
    find: '_require(recipient != config.executor, "recipients.executor");',
    replace: '',
  },
  vault(
    'I15',
    '    /// @dev Refuses everybody but the owner.',
    '    receive() external payable {}\n',
  ),
  vault('I16', ...leak),
  vault('I17', 'if (block.timestamp >= expiresAt)', 'if (block.timestamp > expiresAt)'),
  vault('I19', ...unsigned),
  vault('I20', 'if (!isGuardian) revert NotGuardian(msg.sender);', ''),
  vault(
    'I21',
    'if (amount == 0) revert ZeroAmount();\n        emit W',
    'if (amount > 1e6) revert ZeroAmount();\n        emit W',
  ),
  vault('I22', 'if (payment.amount == 0) revert', 'if (payment.amount <= 1) revert'),
]
