/**
 * Whether a value has the shape of evidence, field by field, before anything is computed from it.
 * Every problem names its field and the expected value. Pure.
 */
import type { Evidence } from './evidence.ts'
import {
  checksummed,
  INTEGER_MAX,
  isDate,
  isEvmAddress,
  isSha256,
  isTimestamp,
  isUuid,
} from './values.ts'

type Check = { isGood(value: unknown): boolean; must: string }

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value)

/** Lower case has no checksum; mixed case is one, and must be right. */
const isAddress = (value: unknown): boolean =>
  isEvmAddress(value) &&
  value.startsWith('0x') &&
  (value === value.toLowerCase() || value === checksummed(value))

const integerFrom =
  (minimum: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= INTEGER_MAX

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const uuid: Check = { isGood: isUuid, must: 'be a UUID' }
const address: Check = {
  isGood: isAddress,
  must: 'be an address: 0x and 40 hex digits, lower case or with a correct EIP-55 checksum',
}
const addresses: Check = {
  isGood: (value) => Array.isArray(value) && value.every(isAddress),
  must: 'be a list of addresses, lower case or with a correct EIP-55 checksum',
}
const hash: Check = {
  isGood: matches(/^0x[0-9a-f]{64}$/),
  must: 'be a hash: 0x and 64 lower-case hex digits',
}
const signature: Check = {
  isGood: matches(/^0x(?:[0-9a-f]{2}){1,4096}$/),
  must: 'be 0x and the lower-case hex digits of 1 to 4096 bytes',
}
const amount: Check = {
  isGood: matches(/^(?:0|[1-9][0-9]{0,77})$/),
  must: 'be base units: a decimal string without leading zeros',
}
const positive: Check = { isGood: integerFrom(1), must: 'be a whole number from 1' }
const height: Check = { isGood: integerFrom(0), must: 'be a whole number from 0' }
const timestamp: Check = {
  isGood: isTimestamp,
  must: 'be a UTC timestamp such as 2030-01-01T00:00:00.000Z',
}
const mode: Check = {
  isGood: matches(/^(?:approved|automatic)$/),
  must: 'be approved or automatic',
}
const text: Check = { isGood: (value) => typeof value === 'string', must: 'be text' }
const flag: Check = { isGood: (value) => typeof value === 'boolean', must: 'be true or false' }
const json: Check = { isGood: isObject, must: 'be an object' }

const orNull = ({ isGood, must }: Check): Check => ({
  isGood: (value) => value === null || isGood(value),
  must: `${must}, or be null`,
})
const date: Check = { isGood: isDate, must: 'be a date such as 2030-01-31' }

type Fields = Record<string, Check>

const ATTACHMENTS_MAX = 10

const isAttachment = (value: unknown): boolean =>
  isObject(value) &&
  isSha256(value.sha256) &&
  typeof value.name === 'string' &&
  typeof value.mediaType === 'string' &&
  integerFrom(1)(value.sizeBytes)

const attachments: Check = {
  isGood: (value) =>
    Array.isArray(value) && value.length <= ATTACHMENTS_MAX && value.every(isAttachment),
  must:
    `be a list of at most ${ATTACHMENTS_MAX} attachments, each with a name, a mediaType, its ` +
    'sizeBytes, and its sha256 as 64 lower-case hex digits',
}

/** Fields of a revision that bundles of earlier versions do not have. */
const ADDED: Fields = {
  attachments,
  category: orNull(text),
  reference: orNull(text),
  dueDate: orNull(date),
}

const hashes: Check = {
  isGood: (value) => Array.isArray(value) && value.every(hash.isGood),
  must: 'be a list of hashes: 0x and 64 lower-case hex digits each',
}

const seconds: Check = { isGood: integerFrom(0), must: 'be a whole number of seconds from 0' }

const TIERS_MAX = 4
const APPROVALS_MIN = 2
/** No tier of a vault asks for more approvers. */
const APPROVALS_MAX = 8

const isTier = (value: unknown): value is { above: string; approvals: number } =>
  isObject(value) &&
  amount.isGood(value.above) &&
  integerFrom(APPROVALS_MIN)(value.approvals) &&
  Number(value.approvals) <= APPROVALS_MAX

/** As the vault requires them, so that the last tier below an amount is the one that counts. */
const areTiers = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= TIERS_MAX &&
  value.every(isTier) &&
  value.every(({ above, approvals }, index) => {
    const before = value[index - 1]
    return !before || (BigInt(above) > BigInt(before.above) && approvals > before.approvals)
  })

const tiers: Check = {
  isGood: areTiers,
  must:
    `be a list of at most ${TIERS_MAX} tiers, ascending in both, each with base units in above ` +
    `and ${APPROVALS_MIN} to ${APPROVALS_MAX} approvals`,
}

/** An object inside a part; a problem names the whole object. */
const objectOf = (fields: Fields, what: string): Check => ({
  isGood: (value) => isObject(value) && fieldProblems('', value, fields).length === 0,
  must: `be an object with ${what}`,
})

const proposal = orNull(
  objectOf(
    { id: hash, transactionHash: hash, activatesAt: timestamp },
    'the hashes id and transactionHash and the timestamp activatesAt',
  ),
)

const LOGGED: Fields = {
  vaultAddress: address,
  chainPaymentId: hash,
  recipientAddress: address,
  mode,
  amountBaseUnits: amount,
  policyVersion: positive,
  reportHash: hash,
  expenseVersionHash: hash,
  approvalDigests: hashes,
  approverAddresses: addresses,
}

const APPROVAL: Fields = {
  id: uuid,
  approverAddress: address,
  digest: hash,
  signature,
  typedData: json,
}

/** The fields of the vault's `PaymentExecuted` that evidence repeats. */
export const LOGGED_FIELDS = Object.keys(LOGGED)

const PARTS: Record<string, { fields: Fields; added?: Fields; isOptional?: boolean }> = {
  revision: {
    added: ADDED,
    fields: {
      organizationId: uuid,
      expenseId: uuid,
      revision: positive,
      vaultId: uuid,
      vaultAddress: address,
      chainId: positive,
      tokenAddress: address,
      recipientAddress: address,
      amountBaseUnits: amount,
      requestedMode: mode,
      purpose: text,
      versionHash: hash,
    },
  },
  report: { fields: { id: uuid, reportHash: hash, output: json } },
  policy: {
    isOptional: true,
    fields: {
      version: positive,
      executorAddress: address,
      approverAddresses: addresses,
      approvedCap: amount,
      automaticCap: amount,
      lifetimeCap: amount,
      reserveFloor: amount,
      periodSeconds: seconds,
      periodCap: amount,
      automaticPeriodCap: amount,
      tiers,
      expiresAt: timestamp,
      automaticEnabled: flag,
      chainTransactionHash: hash,
      proposal,
    },
  },
  recipient: {
    isOptional: true,
    fields: { recipientsVersion: positive, allowedFrom: timestamp, transactionHash: hash },
  },
  approval: { isOptional: true, fields: APPROVAL },
  payment: {
    fields: {
      id: uuid,
      organizationHash: hash,
      chainPaymentId: hash,
      mode,
      deadline: timestamp,
    },
  },
  asked: { fields: LOGGED },
  event: {
    isOptional: true,
    fields: { ...LOGGED, transactionHash: hash, blockNumber: height, blockHash: hash },
  },
}

/** Whether `checkEvidence` can take a value; `shapeProblems` says why not. */
export const isEvidence = (value: unknown): value is Evidence => shapeProblems(value).length === 0

/** What keeps a value from being evidence; empty when its shape is right. */
export function shapeProblems(value: unknown): string[] {
  if (!isObject(value)) return ['evidence must be an object']
  if (value.version !== 2) return ['evidence.version must be 2']
  return [
    ...Object.entries(PARTS).flatMap(([name, { fields, added = {}, isOptional = false }]) => {
      const part = value[name]
      if (part === null && isOptional) return []
      if (!isObject(part))
        return [`evidence.${name} must be an object${isOptional ? ' or null' : ''}`]
      const present = Object.entries(added).filter(([field]) => Object.hasOwn(part, field))
      return fieldProblems(`evidence.${name}`, part, { ...fields, ...Object.fromEntries(present) })
    }),
    ...approvalProblems(value.approvals),
    ...(flag.isGood(value.matches) ? [] : ['evidence.matches must be true or false']),
  ]
}

function approvalProblems(approvals: unknown): string[] {
  if (!Array.isArray(approvals) || approvals.length > APPROVALS_MAX) {
    return [`evidence.approvals must be a list of at most ${APPROVALS_MAX} approvals`]
  }
  return approvals.flatMap((approval, index) => {
    const path = `evidence.approvals[${index}]`
    return isObject(approval)
      ? fieldProblems(path, approval, APPROVAL)
      : [`${path} must be an object`]
  })
}

function fieldProblems(path: string, part: Record<string, unknown>, fields: Fields): string[] {
  return Object.entries(fields)
    .filter(([name, { isGood }]) => !isGood(Object.hasOwn(part, name) ? part[name] : undefined))
    .map(([name, { must }]) => `${path}.${name} must ${must}`)
}
