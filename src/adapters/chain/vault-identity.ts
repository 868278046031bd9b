/**
 * Checks whether the contract at an address is our vault. Its code must equal the artifact byte for
 * byte, with the immutable values that our constructor writes. A counterfeit could return the right
 * owner from its getter and obey another.
 */
import {
  approvalDigest,
  approvalDomain,
  type PaymentApproval,
} from '@countersign/proof/typed-data.ts'
import {
  vaultAbi,
  vaultImmutableReferences,
  vaultRuntimeCode,
} from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  concatHex,
  domainSeparator,
  getAddress,
  type Hex,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  type PublicClient,
  pad,
  size,
  slice,
  stringToHex,
  toRlp,
} from 'viem'
import type { VaultIdentity } from '#ports/chain.ts'

type Immutable = keyof typeof vaultImmutableReferences
type Place = { chainId: number; address: Address }
type Constructed = {
  owner: Address
  token: Address
  organizationHash: Hex
  changeDelaySeconds: number
}

/** OpenZeppelin's storage slot of the `nonReentrant` lock (ERC-7201), and its unlocked value. */
const LOCK_SLOT = '0x9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f00'
const LOCK_FREE = 1n

/** Our constructor takes no longer delay. */
const CHANGE_DELAY_MAX = 604_800

/** Storage root if only the unlocked lock is stored: one leaf with a hashed key. */
const UNTOUCHED_ROOT = keccak256(
  toRlp([concatHex(['0x20', keccak256(LOCK_SLOT)]), numberToHex(LOCK_FREE)]),
)

const word = (value: Hex): Hex => pad(value, { size: 32 })

/** OpenZeppelin's `ShortString`: left-aligned text, with its length in the last byte. */
const shortString = (text: string): Hex =>
  concatHex([
    pad(stringToHex(text), { dir: 'right', size: 31 }),
    numberToHex(text.length, { size: 1 }),
  ])

function immutables({ chainId, address }: Place, made: Constructed): Record<Immutable, Hex> {
  const domain = approvalDomain({ chainId, vault: address })
  return {
    owner: word(made.owner),
    token: word(made.token),
    organizationHash: made.organizationHash,
    changeDelaySeconds: numberToHex(made.changeDelaySeconds, { size: 32 }),
    cachedThis: word(address),
    cachedChainId: numberToHex(chainId, { size: 32 }),
    cachedDomainSeparator: domainSeparator({ domain }),
    hashedName: keccak256(stringToHex(domain.name)),
    hashedVersion: keccak256(stringToHex(domain.version)),
    name: shortString(domain.name),
    version: shortString(domain.version),
  }
}

/** The runtime code that our constructor deploys at this address with these values. */
export function vaultCodeAt(place: Place, made: Constructed): Hex {
  let digits = vaultRuntimeCode.slice(2)
  for (const [name, value] of Object.entries(immutables(place, made))) {
    for (const { start, length } of vaultImmutableReferences[name as Immutable]) {
      digits = digits.slice(0, start * 2) + value.slice(2) + digits.slice((start + length) * 2)
    }
  }
  return `0x${digits.toLowerCase()}`
}

/** The constructor's arguments, read from the code; undefined if it is not our vault's. */
export function constructedFrom(code: Hex, place: Place): Constructed | undefined {
  if (size(code) !== size(vaultRuntimeCode)) return undefined
  const read = (name: Immutable): Hex => {
    const [{ start, length }] = vaultImmutableReferences[name]
    return slice(code, start, start + length)
  }
  const made = {
    owner: getAddress(slice(read('owner'), 12)),
    token: getAddress(slice(read('token'), 12)),
    organizationHash: read('organizationHash'),
    changeDelaySeconds: hexToNumber(slice(read('changeDelaySeconds'), 28)),
  }
  if (made.changeDelaySeconds > CHANGE_DELAY_MAX) return undefined
  return vaultCodeAt(place, made) === code.toLowerCase() ? made : undefined
}

export async function identifyVault(
  client: PublicClient,
  { blockNumber, ...place }: Place & { blockNumber: bigint },
): Promise<VaultIdentity | null> {
  const { address } = place
  const code = await client.getCode({ address, blockNumber })
  const made = code && constructedFrom(code, place)
  if (!made) return null
  const digest = await client.readContract({
    address,
    abi: vaultAbi,
    blockNumber,
    functionName: 'approvalDigest',
    args: sampleArgs,
  })
  const { owner, token, organizationHash, changeDelaySeconds } = made
  const message = { ...sample, token, organizationHash }
  if (digest !== approvalDigest({ chainId: place.chainId, vault: address }, message)) return null
  return {
    ownerAddress: owner.toLowerCase(),
    tokenAddress: token.toLowerCase(),
    organizationHash,
    changeDelaySeconds,
    isUntouched: await isUntouched(client, { address, blockNumber }),
  }
}

type Moment = { address: Address; blockNumber: bigint }

/** The storage root covers everything, but not every node supports `eth_getProof`. */
async function isUntouched(client: PublicClient, at: Moment): Promise<boolean> {
  const root = await client.getProof({ ...at, storageKeys: [] }).then(
    ({ storageHash }) => storageHash,
    () => undefined,
  )
  return root === undefined ? looksUntouched(client, at) : root === UNTOUCHED_ROOT
}

const NUMBERS = ['policyVersion', 'spentTotal', 'pauseNumber', 'recipientsVersion'] as const

async function looksUntouched(client: PublicClient, at: Moment): Promise<boolean> {
  const vault = { ...at, abi: vaultAbi } as const
  const [policy, period, proposal, lock, ...numbers] = await Promise.all([
    client.readContract({ ...vault, functionName: 'policy' }),
    client.readContract({ ...vault, functionName: 'spentInPeriod' }),
    client.readContract({ ...vault, functionName: 'proposal' }),
    client.getStorageAt({ ...at, slot: LOCK_SLOT }),
    ...NUMBERS.map((functionName) => client.readContract({ ...vault, functionName })),
  ])
  const { tiers, ...terms } = policy
  const [spent, spentAutomatically] = period
  const empty = [
    ...Object.values(terms),
    tiers.length,
    spent,
    spentAutomatically,
    ...Object.values(proposal),
    ...numbers,
  ]
  return empty.every((value) => BigInt(value) === 0n) && hexToBigInt(lock ?? '0x0') === LOCK_FREE
}

const filled = (digits: string): Hex => `0x${digits.repeat(32)}`

/** Arbitrary values: the vault must compute the same EIP-712 digest as wallets. */
const sample: Omit<PaymentApproval, 'token' | 'organizationHash'> = {
  approvalId: filled('a1'),
  approver: '0xa2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2',
  paymentId: filled('a3'),
  recipient: '0xa4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4',
  amount: 5n,
  policyVersion: 6n,
  reportHash: filled('a7'),
  expenseVersionHash: filled('a8'),
  deadline: 9n,
}

const sampleArgs = [
  sample.approvalId,
  sample.approver,
  sample.paymentId,
  sample.recipient,
  sample.amount,
  sample.policyVersion,
  sample.reportHash,
  sample.expenseVersionHash,
  sample.deadline,
] as const
