/** What an owner's transaction does to a vault as it is, or why the vault would refuse it. Pure. */
import type { DecodedTransaction, OwnerCall } from '@countersign/proof/owner-call.ts'
import { comparePolicies, type Difference } from '@countersign/proof/owner-call-comparison.ts'
import { durationText, utcOf } from '@countersign/proof/owner-call-text.ts'
import { proposalIdIn } from '@countersign/proof/proposal-id.ts'
import type { OnChainAccount, OnChainVault } from '#adapters/chain/policy-in-force.ts'

type Address = OnChainVault['owner']

/** `problems`: reasons not to sign. */
export type Effects = { lines: string[]; problems: string[] }

const OWNER_ONLY = new Set<OwnerCall['name']>([
  'configurePolicy',
  'configurePolicyAndRecipients',
  'changeRecipients',
  'unblockRecipient',
  'revokeApprover',
  'unpause',
  'withdraw',
  'rescue',
])
const GUARDIANS = new Set<OwnerCall['name']>(['veto', 'blockRecipient', 'emergencyPause'])

/** A proposal that nobody has activated a week after it could be is void. */
const ACTIVATION_WINDOW = 604_800n

/** The addresses whose state in the vault decides what the call does. */
export function accountsOf({ transaction: { from }, call }: DecodedTransaction): Address[] {
  const sender = from && GUARDIANS.has(call.name) ? [from] : []
  switch (call.name) {
    case 'configurePolicyAndRecipients':
    case 'changeRecipients':
      return [...new Set([...call.add, ...call.remove])]
    case 'blockRecipient':
    case 'unblockRecipient':
      return [...sender, call.recipient]
    case 'revokeApprover':
      return [call.approver]
    default:
      return sender
  }
}

export function effectsOn(vault: OnChainVault, decoded: DecodedTransaction): Effects {
  const { call } = decoded
  const effects = callEffects(vault, decoded)
  const recipients =
    'expectedRecipientsVersion' in call ? [`list of recipients: ${vault.recipientsVersion}`] : []
  return {
    lines: [
      `vault's owner: ${vault.owner}`,
      `policy in force: version ${vault.version}`,
      ...recipients,
      ...effects.lines,
    ],
    problems: [...senderProblems(vault, decoded), ...effects.problems],
  }
}

function senderProblems(vault: OnChainVault, { call, transaction }: DecodedTransaction): string[] {
  const { from } = transaction
  if (from === null || from === vault.owner) return []
  if (OWNER_ONLY.has(call.name)) return [`Only the owner ${vault.owner} may send this transaction.`]
  if (!GUARDIANS.has(call.name)) return []
  const isExecutor = call.name === 'emergencyPause' && from === vault.policy?.executor
  const isAllowed = isExecutor || accountIn(vault, from).isApprover
  return isAllowed ? [] : ['Only the owner and current approvers may send this transaction.']
}

function callEffects(vault: OnChainVault, { call, transaction }: DecodedTransaction): Effects {
  switch (call.name) {
    case 'configurePolicy':
      return policyEffects(vault, call)
    case 'configurePolicyAndRecipients': {
      const [policy, recipients] = [policyEffects(vault, call), recipientEffects(vault, call)]
      return {
        lines: [...policy.lines, ...recipients.lines],
        problems: [...policy.problems, ...recipients.problems],
      }
    }
    case 'changeRecipients':
      return recipientEffects(vault, call)
    case 'activatePolicy': {
      const id = proposalIdIn(transaction.data)
      return { lines: changeLines(vault, call), problems: activationProblems(vault, id) }
    }
    default:
      return { lines: [], problems: stateProblems(vault, call) }
  }
}

type PolicyCall = Extract<OwnerCall, { policy: unknown }>
type RecipientsCall = Extract<OwnerCall, { add: unknown }>

function policyEffects(vault: OnChainVault, call: PolicyCall): Effects {
  const { version, changeDelaySeconds, proposal } = vault
  const isAtOnce = version === 0n || changeDelaySeconds === 0
  const stale =
    `The transaction replaces version ${call.expectedVersion}, ` +
    `but version ${version} is in force.`
  return {
    lines: [
      ...changeLines(vault, call),
      isAtOnce
        ? 'takes effect: at once'
        : `takes effect: when it is activated, ${durationText(changeDelaySeconds)} after it is ` +
          'mined at the earliest; until then the owner and approvers can veto it',
      ...(proposal && !isAtOnce ? [`replaces the policy that waits: ${proposal.id}`] : []),
    ],
    problems: call.expectedVersion === version ? [] : [stale],
  }
}

function changeLines({ policy }: OnChainVault, call: PolicyCall): string[] {
  if (!policy) return ['change: this is the first policy']
  const changes = comparePolicies(policy, call.policy)
  return changes.length > 0 ? changes.map(changeLine) : ['change: none']
}

const changeLine = ({ field, requested, actual }: Difference): string =>
  requested === 'not listed'
    ? `change: ${field}: adds ${actual}`
    : actual === 'not listed'
      ? `change: ${field}: removes ${requested}`
      : `change: ${field}: ${requested} -> ${actual}`

function recipientEffects(vault: OnChainVault, call: RecipientsCall): Effects {
  const { version, changeDelaySeconds, recipientsVersion } = vault
  const isAtOnce = version === 0n || changeDelaySeconds === 0
  const when = isAtOnce ? 'at once' : `${durationText(changeDelaySeconds)} after it is mined`
  const isListed = (one: Address) => accountIn(vault, one).allowedFrom !== 0n
  const stale =
    `The transaction changes list ${call.expectedRecipientsVersion}, ` +
    `but list ${recipientsVersion} is in force.`
  return {
    lines: [
      ...(call.add.length > 0 ? [`added recipients may be paid: ${when}`] : []),
      ...call.add
        .filter((one) => accountIn(vault, one).isBlocked)
        .map((one) => `stays blocked: ${one}`),
    ],
    problems: [
      ...(call.expectedRecipientsVersion === recipientsVersion ? [] : [stale]),
      ...call.add
        .filter((one) => isListed(one) && !call.remove.includes(one))
        .map((one) => `It adds ${one}, which is listed already.`),
      ...call.remove
        .filter((one) => !isListed(one))
        .map((one) => `It removes ${one}, which is not listed.`),
    ],
  }
}

function activationProblems({ proposal, nowSeconds }: OnChainVault, id: string): string[] {
  if (proposal?.id.toLowerCase() !== id) return ['This policy does not wait in the vault.']
  const { activatesAt } = proposal
  if (nowSeconds < activatesAt) return [`It can be activated from ${utcOf(activatesAt)} on.`]
  const isVoid = nowSeconds >= activatesAt + ACTIVATION_WINDOW
  return isVoid ? [`It is void since ${utcOf(activatesAt + ACTIVATION_WINDOW)}.`] : []
}

/** Where the vault would refuse the call as it is now. */
function stateProblems(vault: OnChainVault, call: OwnerCall): string[] {
  switch (call.name) {
    case 'veto':
      return vault.proposal?.id.toLowerCase() === call.proposalId.toLowerCase()
        ? []
        : [`The policy that waits is ${vault.proposal?.id ?? 'none'}.`]
    case 'blockRecipient':
      return accountIn(vault, call.recipient).isBlocked ? ['The address is blocked already.'] : []
    case 'unblockRecipient':
      return accountIn(vault, call.recipient).isBlocked ? [] : ['The address is not blocked.']
    case 'revokeApprover':
      return accountIn(vault, call.approver).isApprover
        ? []
        : ['The address is no approver of the policy in force.']
    case 'unpause':
      if (!vault.policy?.paused) return ['The vault is not paused.']
      return call.pauseNumber === vault.pauseNumber
        ? []
        : [`It lifts pause ${call.pauseNumber}, but pause ${vault.pauseNumber} is in force.`]
    case 'rescue':
      return call.token === vault.token
        ? ["It names the vault's own token, which is never rescued."]
        : []
    default:
      return []
  }
}

const UNKNOWN: OnChainAccount = { isApprover: false, allowedFrom: 0n, isBlocked: false }

const accountIn = ({ accounts }: OnChainVault, account: Address): OnChainAccount =>
  accounts.get(account.toLowerCase()) ?? UNKNOWN
