/** The vault's contract: sixteen proofs, most of them read from one run of its own tests. */
import { byTests, type Figure, figure, type Proof } from './kinds.ts'

const solidity = (id: string, title: string, done: string, figures: Figure[]): Proof => ({
  id,
  title,
  done,
  run: 'contracts',
  figures: [...figures, figure('failing tests of the contracts', 'tests.failed', '= 0')],
})

export const contract: Proof[] = [
  solidity('C1', 'Invariants', 'ten actions, six actors, faults of the token, time that passes', [
    figure('calls', 'calls', '>= 1000000'),
    figure('calls that pay', 'payCalls'),
    figure('of them paid, %', 'paidPercent', '>= 10'),
  ]),
  solidity('C2', 'Properties', '10,000 random runs each', [
    figure('properties', 'properties', '> 0'),
    figure('runs of each, at least', 'fuzzRuns', '>= 10000'),
  ]),
  solidity('C3', 'Replay', 'the same payment in the same and the other mode, version, approver', [
    figure('cases', /whenRepeated|whenApprovedBefore|whenAutomaticBefore/, '>= 4'),
  ]),
  solidity('C4', 'Other domains', 'another vault, chain, token, organization', [
    figure('cases', /when(?:TheVault|TheChain|TheToken|TheOrganization)IsAnother/, '>= 4'),
  ]),
  solidity('C5', 'Changed fields', 'each of the signed fields', [
    figure('cases', /binding: \w+_when\w+IsAnother/, '>= 11'),
  ]),
  solidity('C6', 'Recipients', 'taken off the list, never listed, impossible ones', [
    figure('cases', /_to(?:AnybodyNotListed|TheImpossible|SomebodyTakenOffTheList)/, '>= 3'),
  ]),
  solidity('C7', 'Versions', 'approved under one policy, executed under the next', [
    figure('cases', /whenTheVersionIsAnother|UnderThePolicyBefore|UnderANewPolicy/, '>= 3'),
  ]),
  solidity('C8', 'USDC', 'paused; vault, recipient, owner on its blacklist', [
    figure('cases', /usdc: /, '>= 5'),
  ]),
  solidity('C9', 'Odd tokens', 'fees, false, nothing, more than asked, rebasing, hidden balances', [
    figure('cases', /tokens: .*(?:Token|Oddly)/, '>= 7'),
  ]),
  solidity('C10', 'Re-entrance', 'a token that calls back, into every function', [
    figure('cases', /reentrancy: /, '>= 6'),
  ]),
  solidity('C11', 'Boundaries', 'cap and one more, deadline and one later, floor and one below', [
    figure('cases', /above|below|beyond|afterTheDeadline|fromTheMoment/i, '>= 8'),
  ]),
  solidity('C12', 'Signatures', 'malleable, compact, empty; contracts and delegated accounts', [
    figure('cases', /signatures: /, '>= 12'),
  ]),
  solidity('C13', 'Front-running', 'strangers invalidate, pause and deposit before', [
    figure('cases', /whateverStrangersDo|withoutEffect/, '>= 2'),
  ]),
  byTests('C14', 'Deployed code', 'compared byte for byte; one nibble changed; look-alikes', [
    'test/http/look-alike-vaults.test.ts',
    'test/contracts/artifact.test.ts',
    'test/contracts/solidity.test.ts',
    'src/adapters/chain/vault-codec.test.ts',
  ]),
  {
    id: 'C15',
    title: 'Mutants',
    done: 'each guard removed, each field dropped, comparisons and numbers changed',
    run: 'mutants',
    figures: [
      figure('killed', 'killed', '>= 40'),
      figure('of those that are not equivalent', 'counted'),
      figure('%', 'share', '>= 95'),
    ],
  },
  {
    id: 'C16',
    title: 'Gas and size',
    done: '1 approver and 1 recipient, 32 and 256',
    run: 'gas',
    figures: [
      figure('functions', 'functions', '> 0'),
      figure('gas, the most', 'gasMax', '< 16777216'),
      figure('bytes of code', 'bytes', '< 24576'),
    ],
  },
]
