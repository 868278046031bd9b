/** The vault contract: twenty proofs, most of them read from one run of its Solidity tests. */
import { byTests, type Figure, figure, MANY_INPUTS, type Proof } from './kinds.ts'

const solidity = (id: string, title: string, done: string, figures: Figure[]): Proof => ({
  id,
  title,
  done,
  run: 'contracts',
  figures: [...figures, figure('failing tests of the contract', 'tests.failed', '= 0')],
})

export const contract: Proof[] = [
  solidity(
    'C1',
    'Invariants',
    'sixteen actions, thirteen actors, token faults, passing time, with and without a delay',
    [
      figure('calls', 'calls', '>= 1000000'),
      figure('calls that try to pay', 'payCalls', '>= 250000'),
      figure('of them paid, %', 'paidPercent', '>= 10'),
      figure('paid with several signatures', 'paidBySeveral', '>= 5000'),
      figure('paid under a period', 'paidInPeriods', '>= 10000'),
      figure('proposed policies activated', 'activations', '>= 1000'),
    ],
  ),
  solidity('C2', 'Properties', '10,000 random inputs each', [
    figure('properties', 'properties', '>= 60'),
    figure('inputs of each, at least', 'fuzzRuns', '>= 10000'),
  ]),
  solidity('C3', 'Replay', 'the same payment again: same or other mode, version, approver', [
    figure('cases', /whenRepeated|whenApprovedBefore|whenAutomaticBefore/, '>= 9'),
  ]),
  solidity('C4', 'Cross-domain replay', 'another vault, chain, token or organization', [
    figure('cases', /when(?:TheVault|TheChain|TheToken|TheOrganization)IsAnother/, '>= 4'),
  ]),
  solidity('C5', 'Changed fields', 'each signed field changed', [
    figure('cases', /binding: \w+_when\w+IsAnother/, '>= 14'),
  ]),
  solidity('C6', 'Recipients', 'removed, never listed, not yet allowed, blocked, with a role', [
    figure('payments to them', /_to(?:AnybodyNotListed|TheImpossible|Somebody)/, '>= 12'),
    figure('changes of the list', /(?:changeRecipients|\w*blockRecipient): /, '>= 37'),
  ]),
  solidity('C7', 'Policy versions', 'approved under one policy, executed under the next', [
    figure('cases', /whenTheVersionIsAnother|UnderThePolicyBefore|UnderANewPolicy/, '>= 6'),
  ]),
  solidity('C8', 'USDC', 'paused; vault, recipient or owner blacklisted', [
    figure('cases', /usdc: /, '>= 7'),
  ]),
  solidity(
    'C9',
    'Non-standard tokens',
    'transfer fees, false or no return value, wrong amounts, rebasing, reverting balances',
    [figure('cases', /tokens: .*(?:Token|Oddly)/, '>= 14')],
  ),
  solidity('C10', 'Reentrancy', 'a token that calls back into every function', [
    figure('cases', /reentrancy: /, '>= 12'),
  ]),
  solidity('C11', 'Boundaries', 'caps, deadlines and the reserve, exactly and one beyond', [
    figure('cases', /above|below|beyond|afterTheDeadline|fromTheMoment/i, '>= 17'),
  ]),
  solidity('C12', 'Signatures', 'malleable, compact, empty; ERC-1271 and delegated accounts', [
    figure('cases', /signatures: /, '>= 23'),
  ]),
  solidity('C13', 'Front-running', 'strangers invalidate, pause or deposit first', [
    figure('cases', /whateverStrangersDo|withoutEffect/, '>= 5'),
  ]),
  byTests(
    'C14',
    'Deployed code',
    'compared byte for byte with the artifact; one nibble changed; look-alike contracts',
    [
      'test/http/look-alike-vaults.test.ts',
      'test/contracts/artifact.test.ts',
      'test/contracts/solidity.test.ts',
      'src/adapters/chain/vault-codec.test.ts',
    ],
    { least: 48, env: MANY_INPUTS },
  ),
  {
    id: 'C15',
    title: 'Mutation testing',
    done: 'each guard removed, each field dropped, comparisons and constants changed',
    run: 'mutants',
    figures: [
      figure('killed', 'killed', '>= 390'),
      figure('of mutants that are not equivalent', 'counted', '>= 400'),
      figure('%', 'share', '>= 98'),
    ],
  },
  {
    id: 'C16',
    title: 'Gas and code size',
    done: 'with and without periods and tiers, and at their limits; compared with the vault before',
    run: 'gas',
    figures: [
      figure('calls measured', 'functions', '>= 25'),
      figure('gas, at most', 'gasMax', '< 16777216'),
      figure('bytes of code', 'bytes', '< 24576'),
    ],
  },
  solidity('C17', 'Spending periods', 'boundaries, new policies, other lengths, and a model', [
    figure('cases', /periods: |PeriodCap/, '>= 17'),
  ]),
  solidity('C18', 'Several signatures', 'too few, too many, twice the same, out of order', [
    figure('cases', /several: /, '>= 15'),
  ]),
  solidity('C19', 'Time to notice', 'proposals, activation, veto, later pauses and revocations', [
    figure('cases', /(?:delay|activatePolicy|veto|unpause|revokeApprover): /, '>= 57'),
  ]),
  byTests(
    'C20',
    'Wallet displays',
    'every call and every field described for hardware wallets (ERC-7730)',
    ['test/contracts/erc7730.test.ts', 'test/contracts/erc7730-calls.test.ts'],
    { least: 21 },
  ),
]
