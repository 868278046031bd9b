/** Mutants that no test can kill, because they do the same as the vault; by id, with the reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  // CountersignVault.sol: `if (approver.code.length == 0) return false;` removed.
  '985d8d41':
    'without code there is nobody to answer with the 32 bytes of ERC-1271: OpenZeppelin says ' +
    'false too. Precompiles have no code either, and none can give that word for such a call',
  // CountersignVault.sol: `token.safeTransfer(owner, amount)` to `msg.sender`.
  '87b5ea53': '`onlyOwner` has refused everybody else: the two are the same address',
  // CountersignVault.sol: `other.safeTransfer(owner, amount)` to `msg.sender`.
  '7bb86c40': '`onlyOwner` has refused everybody else: the two are the same address',
}
