/** Amounts that need several approvers. Pure. */

export type Tier = { above: string; approvals: number }

/** The tier that an amount falls into. Undefined where one signature is enough. */
export const tierOf = <T extends Tier>(
  tiers: readonly T[],
  amountBaseUnits: string,
): T | undefined => tiers.findLast(({ above }) => BigInt(amountBaseUnits) > BigInt(above))
