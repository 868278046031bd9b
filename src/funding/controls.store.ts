/** SQL of funding controls, and of the wallets that may deposit under one. */
import sql from 'sql-template-tag'
import type { WalletProviderType } from '#platform/config/providers.ts'
import { type Db, isUniqueViolation, type Reader, type Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { ControlState } from './funding-control.machine.ts'

/** Addresses are lower case, as stored. */
export type ControlRow = {
  id: string
  organizationId: string
  vaultId: string
  accountId: string
  walletId: string
  provider: WalletProviderType
  policyId: string
  signerId: string
  state: ControlState
  chainId: number
  vaultAddress: string
  maxAmount: bigint
  expiresAt: string
  reference: Buffer | null
  readbackAt: string | null
  failureCode: string | null
  /** These are null until the first observation. */
  allowance: bigint | null
  balance: bigint | null
  gasWei: bigint | null
  isProviderSilent: boolean
  createdAt: string
}

const columns = sql`
  id, organization_id as "organizationId", vault_id as "vaultId", account_id as "accountId",
  wallet_id as "walletId", provider, provider_policy_id as "policyId", signer_id as "signerId",
  state, chain_id as "chainId", vault_address as "vaultAddress", max_amount as "maxAmount",
  expires_at as "expiresAt", provider_reference as reference, readback_at as "readbackAt",
  failure_code as "failureCode", wallet_allowance as allowance, wallet_balance as balance,
  wallet_gas_wei as "gasWei", provider_silent as "isProviderSilent", created_at as "createdAt"`

export type NewControl = Pick<
  ControlRow,
  | 'id'
  | 'organizationId'
  | 'vaultId'
  | 'accountId'
  | 'walletId'
  | 'provider'
  | 'policyId'
  | 'signerId'
  | 'chainId'
  | 'vaultAddress'
  | 'maxAmount'
  | 'expiresAt'
> & { at: Date }

export async function insertControl(tx: Tx, row: NewControl): Promise<ControlRow> {
  const [inserted] = await tx
    .query<ControlRow>(sql`
      insert into funding_controls (id, organization_id, vault_id, account_id, wallet_id, provider,
        provider_policy_id, signer_id, state, chain_id, vault_address, max_amount, expires_at,
        created_at, updated_at)
      values (${row.id}, ${row.organizationId}, ${row.vaultId}, ${row.accountId}, ${row.walletId},
        ${row.provider}, ${row.policyId}, ${row.signerId}, 'pending', ${row.chainId},
        ${row.vaultAddress}, ${row.maxAmount}, ${row.expiresAt}, ${row.at}, ${row.at})
      returning ${columns}`)
    .catch((error) => {
      if (!isUniqueViolation(error, 'funding_controls_pending')) throw error
      throw new AppError('state_conflict', {
        message: 'Another control was requested at the same time. Read it and repeat if needed.',
      })
    })
  if (!inserted) throw new Error('Inserting a funding control returned no row')
  return inserted
}

type VaultKey = { organizationId: string; vaultId: string }

/** The vault's attached control, or else the newest in any state. */
export async function findControl(tx: Reader, key: VaultKey): Promise<ControlRow | undefined> {
  const [row] = await tx.query<ControlRow>(sql`
    select ${columns} from funding_controls
    where organization_id = ${key.organizationId} and vault_id = ${key.vaultId}
    order by state in ('attached', 'verified') desc, id desc limit 1`)
  return row
}

/** Controls that have not ended, oldest first: at most one attached and one pending. */
export const lockVaultControls = (tx: Tx, key: VaultKey): Promise<ControlRow[]> =>
  tx.query<ControlRow>(sql`
    select ${columns} from funding_controls
    where organization_id = ${key.organizationId} and vault_id = ${key.vaultId}
      and state in ('pending', 'attached', 'verified') order by id for no key update`)

type WalletKey = { organizationId: string; walletId: string; signerId: string }

const ofWallet = (key: WalletKey) => sql`
    select ${columns} from funding_controls
    where organization_id = ${key.organizationId} and wallet_id = ${key.walletId}
      and signer_id = ${key.signerId} and state in ('pending', 'attached', 'verified')`

/** Controls of the signer at the wallet that have not ended, for any vault. */
export const findWalletControls = (tx: Reader, key: WalletKey): Promise<ControlRow[]> =>
  tx.query<ControlRow>(ofWallet(key))

export const lockWalletControls = (tx: Tx, key: WalletKey): Promise<ControlRow[]> =>
  tx.query<ControlRow>(sql`${ofWallet(key)} order by id for no key update`)

type ControlKey = { organizationId: string; controlId: string }

export async function findControlById(
  tx: Reader,
  key: ControlKey,
): Promise<ControlRow | undefined> {
  const [row] = await tx.query<ControlRow>(sql`
    select ${columns} from funding_controls
    where organization_id = ${key.organizationId} and id = ${key.controlId}`)
  return row
}

/** Every decision about a control or its actions is made under this lock. */
export async function lockControl(tx: Tx, key: ControlKey): Promise<ControlRow | undefined> {
  const [row] = await tx.query<ControlRow>(sql`
    select ${columns} from funding_controls
    where organization_id = ${key.organizationId} and id = ${key.controlId} for no key update`)
  return row
}

export function updateControlState(
  tx: Tx,
  move: {
    control: ControlRow
    to: ControlState
    reference: Uint8Array | null
    readbackAt: Date | null
    failureCode: string | null
    at: Date
  },
): void {
  const { control } = move
  tx.write(sql`
    update funding_controls set state = ${move.to}, failure_code = ${move.failureCode},
      provider_reference = coalesce(${move.reference}, provider_reference),
      readback_at = coalesce(${move.readbackAt}, readback_at), provider_silent = false,
      updated_at = ${move.at}
    where organization_id = ${control.organizationId} and id = ${control.id}
      and state = ${control.state}`)
}

export type WalletFacts = { allowance: bigint; balance: bigint; gasWei: bigint }

/** Stores the last observation; `wallet` is null if the chain was unavailable. */
export function updateControlFacts(
  tx: Tx,
  {
    organizationId,
    controlId,
    ...facts
  }: ControlKey & {
    wallet: WalletFacts | null
    isProviderSilent: boolean
    /** When the read-back was equal; null: not equal or not read. */
    readbackAt: Date | null
  },
): void {
  const { allowance = null, balance = null, gasWei = null } = facts.wallet ?? {}
  tx.write(sql`
    update funding_controls set provider_silent = ${facts.isProviderSilent},
      readback_at = coalesce(${facts.readbackAt}, readback_at),
      wallet_allowance = coalesce(${allowance}, wallet_allowance),
      wallet_balance = coalesce(${balance}, wallet_balance),
      wallet_gas_wei = coalesce(${gasWei}, wallet_gas_wei)
    where organization_id = ${organizationId} and id = ${controlId}`)
}

export type Depositor = {
  walletId: string
  accountId: string
  chainType: 'ethereum'
  address: string
  reference: Buffer
}

/**
 * The newest server wallet made for the organization with the role `treasury_owner`, or the given
 * one if it qualifies. A wallet that a member created for themselves never qualifies.
 */
export async function findDepositor(
  tx: Reader,
  {
    organizationId,
    provider,
    walletId,
  }: {
    organizationId: string
    provider: WalletProviderType
    walletId?: string
  },
): Promise<Depositor | undefined> {
  const [row] = await tx.query<Depositor>(sql`
    select w.id as "walletId", w.account_id as "accountId", w.chain_type as "chainType", w.address,
      w.provider_reference as reference
    from wallet_roles r join wallets w on w.account_id = r.account_id and w.id = r.wallet_id
    where r.organization_id = ${organizationId} and r.role = 'treasury_owner'
      and r.state = 'active' and w.kind = 'server' and w.chain_type = 'ethereum'
      and w.state = 'active' and w.provider = ${provider}
      and w.for_organization_id = ${organizationId}
      and w.id = coalesce(${walletId ?? null}, w.id)
    order by r.id desc limit 1`)
  return row
}

/** In any role: transactions that it has sent must be settled. */
export async function findControlWallet(
  tx: Reader,
  { accountId, walletId }: Pick<ControlRow, 'accountId' | 'walletId'>,
): Promise<Depositor | undefined> {
  const [row] = await tx.query<Depositor>(sql`
    select id as "walletId", account_id as "accountId", chain_type as "chainType", address,
      provider_reference as reference
    from wallets where account_id = ${accountId} and id = ${walletId}`)
  return row
}

export type DepositorRole = {
  id: string
  walletId: string
  address: string
  role: 'treasury_owner'
  active: boolean
}

/** Newest first, including ended roles. */
export async function listDepositorRoles(
  tx: Reader,
  organizationId: string,
): Promise<DepositorRole[]> {
  return tx.query<DepositorRole>(sql`
    select r.id, r.wallet_id as "walletId", w.address, r.role, r.state = 'active' as active
    from wallet_roles r join wallets w on w.account_id = r.account_id and w.id = r.wallet_id
    where r.organization_id = ${organizationId} and r.role = 'treasury_owner'
      and w.kind = 'server' and w.chain_type = 'ethereum'
      and w.for_organization_id = ${organizationId}
    order by r.id desc`)
}

/** The negative test of control `c` failed, and no later control of its vault has passed one. */
const isStillUnconstrained = sql`
  c.state = 'failed' and c.failure_code = 'probe_not_denied' and not exists (
    select from funding_controls n
    join funding_actions a on a.organization_id = n.organization_id and a.control_id = n.id
    where n.organization_id = c.organization_id and n.vault_id = c.vault_id and n.id > c.id
      and a.action = 'withdraw_probe' and a.state = 'denied')`

/** Whether any vault has a signer that was able to withdraw. Runs as the observer. */
export async function findUnconstrainedSigner(db: Pick<Db, 'query'>): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as found from funding_controls c where ${isStillUnconstrained} limit 1`)
  return rows.length > 0
}

/** Whether a negative test failed for its vault or signer and none has passed since. */
export async function findDistrust(tx: Tx, control: ControlRow): Promise<boolean> {
  const { organizationId, vaultId, walletId, signerId } = control
  const rows = await tx.query(sql`
    select 1 as found from funding_controls c
    where c.organization_id = ${organizationId} and ${isStillUnconstrained}
      and (c.vault_id = ${vaultId} or (c.wallet_id = ${walletId} and c.signer_id = ${signerId}))
    limit 1`)
  return rows.length > 0
}

export type SealedControl = { id: string; walletId: string }

const RANGE = 100

/** Controls whose policies the service keeps, one range at a time. Runs as the database owner. */
export async function listSealedControls(
  db: Pick<Db, 'query'>,
  afterId: string,
): Promise<SealedControl[]> {
  return db.query<SealedControl>(sql`
    select id, wallet_id as "walletId" from funding_controls
    where provider = 'local' and provider_reference is not null and id > ${afterId}
    order by id limit ${RANGE}`)
}

export async function lockControlReference(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ reference: Buffer }>(sql`
    select provider_reference as reference from funding_controls where id = ${id} for update`)
  return row?.reference
}

export function updateControlReference(
  tx: Tx,
  { id, reference }: { id: string; reference: Uint8Array },
): void {
  tx.write(sql`
    update funding_controls set provider_reference = ${reference} where id = ${id}`)
}
