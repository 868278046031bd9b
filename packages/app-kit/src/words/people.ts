/** The words for what people and their wallets may do. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type Member = DataOf<'listMembers'>['members'][number]
export type WalletRole = Member['walletRoles'][number]['role']
export type WalletKind = Member['wallets'][number]['kind']

export const WALLET_ROLES: Record<WalletRole, MessageDescriptor> = {
  treasury_owner: msg`Treasury owner`,
  approver: msg`Approver`,
}

export const WALLET_KINDS: Record<WalletKind, MessageDescriptor> = {
  external: msg`External wallet`,
  embedded: msg`Wallet of your identity provider`,
  server: msg`Server wallet`,
}

const ID_SHOWN = 8

/** People may have no name yet. Then the start of their account's id tells them apart. */
export const nameOf = (person: {
  displayName?: string | null | undefined
  accountId: string
}): string => person.displayName ?? person.accountId.slice(0, ID_SHOWN)
