/** The one token of a deployment. Vaults accept nothing else. */

export const TOKEN_SYMBOL = 'USDC'
export const TOKEN_DECIMALS = 6
