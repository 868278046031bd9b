/**
 * The providers that hold keys. Configuration, ports, stores and schemas take their names from
 * here. Kept apart from the readers of variables, so that naming a provider imports no crypto.
 */

/** From the value of EXECUTOR_PROVIDER to the type that the interface and the database name. */
export const executorTypes = {
  command_line: 'agent_stack_cli',
  circle: 'developer_controlled_wallet',
  local: 'local',
} as const

export type ExecutorName = keyof typeof executorTypes
export type ExecutorProviderType = (typeof executorTypes)[ExecutorName]
export const executorNames = Object.keys(executorTypes) as ExecutorName[]
export const executorProviderTypes: ExecutorProviderType[] = Object.values(executorTypes)

/** Server wallets and funding signers: values of WALLET_PROVIDER, besides `none`. */
export const walletProviderTypes = ['local', 'privy'] as const
export type WalletProviderType = (typeof walletProviderTypes)[number]
