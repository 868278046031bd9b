/** The demo's treasury: a vault, an executor, recipients, a policy and money. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { Pins } from '@countersign/proof/evidence-pins.ts'
import type { Address } from 'viem'
import { StartupError } from '#platform/errors.ts'
import { type DemoWallet, makeWallet, must, until } from './demo-client.ts'
import { type Payee, print, printChapter, type Stage, tokenAbi, USDC, usdc } from './demo-stage.ts'

type Vault = { id: string; address: Address; organizationHash: string }

async function deployVault({ path, owner: { client }, ownerWallet }: Stage): Promise<Vault> {
  printChapter("A vault on chain, deployed from the owner's own wallet")
  const label = { label: 'Main' }
  const deployment = must(await client.call('prepareVaultDeployment', { path, body: label }))
  const transactionHash = await ownerWallet.send(deployment.transaction)
  const confirming = {
    path: { ...path, intentId: deployment.id },
    body: { transactionHash },
  }
  const { vault } = await until(
    () => client.call('confirmVaultDeployment', confirming),
    ({ state }) => state === 'confirmed',
    'the vault',
  )
  if (!vault) throw new StartupError('The deployment has no vault.')
  print(`${vault.address}: its code, owner, token and organization are verified on chain.`)
  const { organizationHash } = deployment
  return { id: vault.id, address: vault.address as Address, organizationHash }
}

const TERMS = {
  approvedCap: String(100n * USDC),
  automaticCap: String(20n * USDC),
  lifetimeCap: String(400n * USDC),
  reserveFloor: String(50n * USDC),
  periodSeconds: 604_800,
  periodCap: String(150n * USDC),
  automaticPeriodCap: String(40n * USDC),
  tiers: [{ above: String(50n * USDC), approvals: 2 }],
  expiresAt: '2099-01-01T00:00:00Z',
  automaticEnabled: true,
  paused: false,
}

/** Returns the recipient's id. */
async function setUpPolicy(stage: Stage, { id: vaultId }: Vault): Promise<string> {
  const { path } = stage
  const { client } = stage.owner
  printChapter('An executor, a recipient and a policy that the owner signs')
  must(await client.call('provisionExecutor', { path }))
  await until(
    () => client.call('getExecutor', { path }),
    ({ binding }) => binding !== null && binding.nativeBalanceWei !== '0',
    'the executor and its gas',
  )
  const recipient = await addRecipient(stage, 'Printers Limited', stage.supplier)
  const { changes } = await signPolicy(stage, vaultId)
  print(`Before signing, the owner sees the changes: ${changes?.recipients.added.length}`)
  print(`new recipient, ${changes?.approvers.added.length} new approvers, and the caps.`)
  print('Caps: 100 USDC per signed payment, 20 automatic, 150 in a week, 400 in total.')
  print('Above 50 USDC two approvers must sign. 50 USDC stay in reserve.')
  return recipient.id
}

async function addRecipient(
  { about, path, owner }: Stage,
  label: string,
  { address }: DemoWallet,
): Promise<DataOf<'addRecipient'>> {
  const body = { label, address, chainId: about.chainId }
  return must(await owner.client.call('addRecipient', { path, body }))
}

/** The terms above with all active recipients and approvers, signed by the owner. */
async function signPolicy(
  { path, owner: { client }, ownerWallet }: Stage,
  vaultId: string,
): Promise<DataOf<'confirmPolicy'>> {
  const preparing = { path: { ...path, vaultId }, body: TERMS }
  const intent = must(await client.call('preparePolicy', preparing))
  const transactionHash = await ownerWallet.send(intent.transaction)
  const confirming = { path: { ...path, vaultId, intentId: intent.id }, body: { transactionHash } }
  return until(
    () => client.call('confirmPolicy', confirming),
    ({ state }) => state === 'confirmed',
    'the policy',
  )
}

/** The policy is the same, so the owner signs the difference of the list and nothing else. */
export async function listAnotherRecipient(stage: Stage, vaultId: string): Promise<void> {
  await addRecipient(stage, 'Couriers Limited', makeWallet(stage.about))
  const { kind, policyVersion } = await signPolicy(stage, vaultId)
  print(`The owner signs a change of ${kind} only; the policy stays version ${policyVersion}.`)
}

async function deposit(stage: Stage, { address: vault }: Vault): Promise<void> {
  const { about, path, owner, ownerWallet } = stage
  printChapter('A deposit into the vault')
  const amount = 300n * USDC
  const abi = tokenAbi
  const token = { address: about.tokenAddress, abi }
  await ownerWallet.call({ ...token, functionName: 'approve', args: [vault, amount] })
  await ownerWallet.call({ address: vault, abi, functionName: 'deposit', args: [amount] })
  const overview = await until(
    () => owner.client.call('getTreasuryOverview', { path }),
    ({ balanceBaseUnits }) => balanceBaseUnits === String(amount),
    'the deposit',
  )
  print(`The service shows ${usdc(overview.balanceBaseUnits ?? 0n)}, as the chain does.`)
}

export async function setUpTreasury(stage: Stage): Promise<{ payee: Payee; pins: Pins }> {
  const vault = await deployVault(stage)
  const recipientId = await setUpPolicy(stage, vault)
  await deposit(stage, vault)
  const pins: Pins = {
    vault: vault.address,
    owner: stage.ownerWallet.address,
    organizationHash: vault.organizationHash,
    token: stage.about.tokenAddress,
  }
  return { payee: { vaultId: vault.id, recipientId }, pins }
}
