import { editableAmount } from '@countersign/ui/amounts.ts'

/** 1234.5 as the reader types it, without places that the token lacks. */
export const amountExample = (decimals: number, region: string): string =>
  editableAmount(((12_345n * 10n ** BigInt(decimals)) / 10n).toString(), decimals, region)
