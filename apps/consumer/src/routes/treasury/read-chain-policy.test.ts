import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { decodeFunctionData, encodeAbiParameters, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { AnnouncedWallet } from '../../wallet/wallets.ts'
import { CHAIN_ID, chainWith, codeOfVault, stranger, TOKEN, VAULT } from '../sign/sign-fixture.ts'
import { differenceOf } from './policy-difference.ts'
import { readChainPolicy } from './read-chain-policy.ts'

const vault = { token: TOKEN, vault: VAULT, owner: stranger.address, chainId: CHAIN_ID }
const difference = differenceOf(null, {
  executorAddress: stranger.address,
  expiresAt: '2099-01-01T00:00:00Z',
  automaticEnabled: false,
  paused: false,
  approvedCap: '1',
  automaticCap: '0',
  lifetimeCap: '1',
  reserveFloor: '0',
  periodSeconds: null,
  periodCap: null,
  automaticPeriodCap: null,
  tiers: [],
  approverAddresses: [],
  recipientAddresses: [],
})

/** Answers every question about the policy rightly, whatever code it has. */
function walletWith(code: Hex): AnnouncedWallet {
  const chain = chainWith()
  const request = async ({ method, params }: { method: string; params: [never] }) => {
    if (method === 'eth_getCode') return code
    const { to, data } = params[0] as { to: typeof VAULT; data: Hex }
    const { functionName } = decodeFunctionData({ abi: vaultAbi, data })
    if (functionName === 'owner') {
      return encodeAbiParameters([{ type: 'address' }], [stranger.address])
    }
    if (functionName === 'recipientsVersion') return encodeAbiParameters([{ type: 'uint64' }], [2n])
    const answer = await chain.call(to, data)
    return answer.ok && answer.value
  }
  return { provider: { request } } as unknown as AnnouncedWallet
}

describe('the policy that a wallet reads before its owner signs', () => {
  it('comes from the published vault', async () => {
    const read = await readChainPolicy(walletWith(codeOfVault()), vault, difference)
    expect(read).toMatchObject({ state: 'read', chain: { owner: stranger.address, version: 3n } })
  })

  it('does not come from a counterfeit that answers the same', async () => {
    const code = `${codeOfVault()}00` as const
    const read = await readChainPolicy(walletWith(code), vault, difference)
    expect(read).toEqual({ state: 'no_vault' })
  })
})
