import * as v from 'valibot'

const hex = v.custom<`0x${string}`>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value),
)

/** A deployment that this browser prepared: what the person asked for, and the hash once sent. */
export const keptDeployment = v.object({
  intentId: v.string(),
  label: v.string(),
  changeDelaySeconds: v.number(),
  hash: v.nullable(hex),
})

export type KeptDeployment = v.InferOutput<typeof keptDeployment>

const addresses = v.array(v.string())

/** A policy that this browser prepared, as it was edited, with the version it replaces. */
export const keptPolicy = v.object({
  intentId: v.string(),
  expectedVersion: v.number(),
  expectedRecipientsVersion: v.number(),
  /** False for one that was prepared elsewhere: then it is what the service states. */
  isOwn: v.boolean(),
  policy: v.object({
    approvedCap: v.string(),
    automaticCap: v.string(),
    lifetimeCap: v.string(),
    reserveFloor: v.string(),
    periodSeconds: v.nullable(v.number()),
    periodCap: v.nullable(v.string()),
    automaticPeriodCap: v.nullable(v.string()),
    tiers: v.array(v.object({ above: v.string(), approvals: v.number() })),
    expiresAt: v.string(),
    automaticEnabled: v.boolean(),
    paused: v.boolean(),
    executorAddress: v.string(),
    approverAddresses: addresses,
    recipientAddresses: addresses,
  }),
  hash: v.nullable(hex),
})

export type KeptPolicy = v.InferOutput<typeof keptPolicy>

/** Transactions that no node knows and that this browser has put aside. */
export const keptDismissals = v.array(v.string())

/** A deposit under way: first the token is told, then the vault takes the amount. */
export const keptDeposit = v.object({
  amount: v.pipe(v.string(), v.regex(/^\d+$/)),
  approveHash: v.nullable(hex),
  depositHash: v.nullable(hex),
})
