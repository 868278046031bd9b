/** The token that vaults hold is USDC, which has six decimals on every chain. */
export const TOKEN_SYMBOL = 'USDC'
export const TOKEN_DECIMALS = 6

/** Of the coin that pays for gas, on every EVM chain. */
export const GAS_DECIMALS = 18

const PLACES_MIN = 2

/** Exact: at least two decimal places, and no trailing zeros after them. */
export function toDecimal(amount: bigint, decimals: number): string {
  const [sign, size] = amount < 0n ? ['-', -amount] : ['', amount]
  const digits = size.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const places = digits.slice(-decimals).replace(/0+$/, '').padEnd(PLACES_MIN, '0')
  return `${sign}${whole}.${places}`
}
