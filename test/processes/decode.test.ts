/** `npm run decode` describes an owner's transaction, offline or against a node. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  encodeActivation,
  encodeDeployment,
  encodePolicy,
  encodeRecipients,
} from '#adapters/chain/vault-codec.ts'
import { main } from '#cli/decode.ts'
import type { RecipientsChange } from '#ports/chain.ts'
import { commandHere } from '#test/processes/commands.ts'
import { cleanUp, makeFolder, runScript } from '#test/processes/processes.ts'
import {
  CHAIN_ID,
  called,
  openPayer,
  openVault,
  type Payer,
  type PayingVault,
  policyOf,
  propose,
  waitUntil,
} from '#test/support/paying-vaults.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

let folder: string
let payer: Payer
let vault: PayingVault

beforeAll(async () => {
  folder = await makeFolder()
  payer = await openPayer()
  vault = await openVault(payer)
})
afterAll(async () => {
  await payer.chain.stop()
  await cleanUp()
})

let files = 0

async function decode(content: unknown, ...more: string[]) {
  files += 1
  const path = join(folder, `transaction-${files}.json`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return decodeArguments(path, ...more)
}

const decodeArguments = (...args: string[]) => commandHere(main, args)

const place = (of = vault) => ({
  chainId: CHAIN_ID,
  vaultAddress: of.address,
  ownerAddress: payer.owner.address,
})

const intent = (more: Partial<ChainPolicy> = {}, expectedVersion = 1, of = vault) =>
  encodePolicy({ ...place(of), expectedVersion, policy: policyOf(payer, more), recipients: null })

const withNode = () => ['--rpc', payer.chain.rpcUrl]

describe('npm run decode', () => {
  test('prints a deployment offline and exits with 0', async () => {
    const { transaction } = encodeDeployment({
      chainId: CHAIN_ID,
      tokenAddress: payer.chain.tokenAddress,
      ownerAddress: payer.owner.address,
      organizationHash: vault.organizationHash,
      changeDelaySeconds: 86_400,
    })
    const { code, stdout, stderr } = await decode(transaction)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('code: the published vault, byte for byte')
    expect(stdout).toContain(`owner: ${payer.owner.address}`)
    expect(stdout).toContain('changes wait: 86400 seconds (1 day)')
  })

  test('prints what a policy changes in the current one and exits with 0', async () => {
    const stranger = await payer.chain.wallet({ wei: 0n })
    const changes = {
      approvedCap: 2_000n,
      approverAddresses: [stranger.address.toLowerCase()],
      ...{ periodSeconds: 86_400, periodCap: 5_000n },
    }
    const { code, stdout, stderr } = await decode(intent(changes), ...withNode())
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('policy in force: version 1')
    expect(stdout).toContain('change: approvedCap: 1000 -> 2000')
    expect(stdout).toContain('change: periodSeconds: 0 -> 86400')
    expect(stdout).toContain('change: periodCap: 0 -> 5000')
    expect(stdout).toContain(`change: approvers: adds ${stranger.address}`)
    expect(stdout).toContain(`change: approvers: removes ${payer.approver.address}`)
    expect(stdout).toContain('takes effect: at once')
    expect((await decode(intent(), ...withNode())).stdout).toContain('change: none')
  })

  test('exits with 1 for an API answer that misstates its transaction', async () => {
    const policy = policyOf(payer)
    const stated = {
      ...policy,
      kind: 'policy',
      ...{ approvedCap: '1000', automaticCap: '500', lifetimeCap: '1000000', reserveFloor: '0' },
      ...{ periodSeconds: null, periodCap: null, automaticPeriodCap: null, tiers: [] },
      expiresAt: '2096-10-02T07:06:40.000Z',
      recipientAddresses: [payer.recipient],
      changes: { recipients: { added: [], removed: [] } },
    }
    expect(await decode({ ...stated, transaction: intent() })).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await decode({
      ...stated,
      transaction: intent({ approvedCap: 9_000n }),
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('DO NOT SIGN: approvedCap is stated as 1000, but is 9000.')
    const secretly = encodePolicy({
      ...place(),
      expectedVersion: 1,
      policy,
      recipients: { expectedRecipientsVersion: 1, add: [payer.owner.address], remove: [] },
    })
    const other = await decode({ ...stated, transaction: secretly })
    expect(other.code).toBe(1)
    expect(other.stderr).toContain(
      'DO NOT SIGN: call is stated as configurePolicy, but is configurePolicyAndRecipients.',
    )
  })

  test('exits with 1 for a stale version, another chain or a missing vault', async () => {
    const stale = await decode(intent({}, 4), ...withNode())
    expect([stale.code, stale.stderr]).toEqual([
      1,
      expect.stringContaining('version 1 is in force'),
    ])
    const elsewhere = await decode({ ...intent(), chainId: 1 }, ...withNode())
    expect(elsewhere.stderr).toContain('DO NOT SIGN: The node serves chain 31337')
    const nowhere = await decode({ ...intent(), to: payer.recipient }, ...withNode())
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('not the published'),
    ])
  })

  test('is a process that prints this and exits with this code', async () => {
    const path = join(folder, 'stale.json')
    await writeFile(path, JSON.stringify(intent({}, 4)))
    for (const args of [[path], [path, ...withNode()]]) {
      const running = runScript('src/cli/decode.ts', {}, args)
      const { code } = await running.ended
      const said = { code, stdout: running.stdout(), stderr: running.stderr() }
      expect(said).toEqual(await decodeArguments(...args))
    }
  })

  test('exits with 1 and no stack for a call that an owner never needs to sign', async () => {
    const { code, stderr } = await decode({ ...intent(), data: '0xdeadbeef' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^DO NOT SIGN: It calls 0xdeadbeef, [^\n]*\n$/)
  })

  test('exits with 2 for unreadable input or wrong usage, and 4 for a silent node', async () => {
    expect(await decode('{')).toMatchObject({ code: 2, stderr: expect.stringContaining('JSON') })
    const usage = { code: 2, stderr: expect.stringContaining('Usage: npm run decode') }
    expect(await decodeArguments()).toMatchObject(usage)
    const silent = await decode(intent(), '--rpc', 'http://127.0.0.1:9')
    expect(silent).toMatchObject({ code: 4, stderr: expect.stringContaining('did not answer') })
  })
})

describe('npm run decode of a vault in its present state', () => {
  const changeOf = (of: PayingVault, change: Partial<RecipientsChange>) =>
    encodeRecipients({
      ...place(of),
      expectedRecipientsVersion: of.recipientsVersion,
      add: [],
      remove: [],
      ...change,
    })
  const callOf = (of: PayingVault, functionName: string, ...args: unknown[]) => ({
    chainId: CHAIN_ID,
    from: payer.owner.address,
    to: of.address,
    data: encodeFunctionData({ abi: vaultAbi, functionName, args } as never),
  })

  test('says when added recipients may be paid, and what is wrong with the list', async () => {
    const delayed = await openVault(payer, { changeDelaySeconds: 7_200 })
    const { address } = await payer.chain.wallet({ wei: 0n })
    await called(payer, delayed, 'blockRecipient', [address])
    const adding = changeOf(delayed, { add: [address], remove: [payer.recipient] })
    const good = await decode(adding, ...withNode())
    expect([good.code, good.stderr]).toEqual([0, ''])
    expect(good.stdout).toContain('list of recipients: 1')
    expect(good.stdout).toContain('added recipients may be paid: 7200 seconds (2 hours) after')
    expect(good.stdout).toContain(`stays blocked: ${address}`)
    const bad = await decode(
      changeOf(delayed, {
        expectedRecipientsVersion: 0,
        add: [payer.recipient],
        remove: [address],
      }),
      ...withNode(),
    )
    expect(bad.code).toBe(1)
    expect(bad.stderr).toContain('DO NOT SIGN: The transaction changes list 0, but list 1 is in')
    expect(bad.stderr).toContain(`It adds ${payer.recipient}, which is listed already.`)
    expect(bad.stderr).toContain(`It removes ${address}, which is not listed.`)
  })

  test('says that a policy waits, which one it replaces, and when it is activated', async () => {
    const delayed = await openVault(payer, { changeDelaySeconds: 7_200 })
    const policy = policyOf(payer, { approvedCap: 900n })
    const proposal = await propose(payer, delayed, policy)
    const next = await decode(intent({ approvedCap: 800n }, 1, delayed), ...withNode())
    expect([next.code, next.stderr]).toEqual([0, ''])
    expect(next.stdout).toContain('takes effect: when it is activated, 7200 seconds (2 hours)')
    expect(next.stdout).toContain(`replaces the policy that waits: ${proposal.id}`)

    const { data } = encodeActivation({
      vaultAddress: delayed.address,
      expectedVersion: 1,
      policy,
    })
    const activation = { chainId: CHAIN_ID, to: delayed.address, data }
    const early = await decode(activation, ...withNode())
    expect(early.code).toBe(1)
    expect(early.stderr).toContain('DO NOT SIGN: It can be activated from 20')
    await waitUntil(payer, proposal.activatesAtSeconds)
    const ready = await decode(activation, ...withNode())
    expect([ready.code, ready.stderr]).toEqual([0, ''])
    expect(ready.stdout).toContain('change: approvedCap: 1000 -> 900')

    const veto = await decode(callOf(delayed, 'veto', proposal.id), ...withNode())
    expect([veto.code, veto.stderr]).toEqual([0, ''])
    await called(payer, delayed, 'veto', [proposal.id])
    const gone = await decode(callOf(delayed, 'veto', proposal.id), ...withNode())
    expect(gone.stderr).toContain('DO NOT SIGN: The policy that waits is none.')
    const voided = await decode(activation, ...withNode())
    expect(voided.stderr).toContain('DO NOT SIGN: This policy does not wait in the vault.')
  })

  test('exits with 1 for a call that the vault would refuse as it is', async () => {
    const refused: [string, unknown[], string][] = [
      ['unblockRecipient', [payer.recipient], 'The address is not blocked.'],
      ['revokeApprover', [payer.recipient], 'The address is no approver of the policy in force.'],
      ['unpause', [1n], 'The vault is not paused.'],
      ['rescue', [payer.chain.tokenAddress, 1n], "the vault's own token, which is never rescued."],
    ]
    for (const [name, args, reason] of refused) {
      const { code, stderr } = await decode(callOf(vault, name, ...args), ...withNode())
      expect([name, code, stderr]).toEqual([name, 1, expect.stringContaining(reason)])
    }
    const paused = await openVault(payer)
    await called(payer, paused, 'emergencyPause', [])
    await called(payer, paused, 'emergencyPause', [])
    const lifting = (number: bigint) => decode(callOf(paused, 'unpause', number), ...withNode())
    expect((await lifting(1n)).stderr).toContain('It lifts pause 1, but pause 2 is in force.')
    expect(await lifting(2n)).toMatchObject({ code: 0, stderr: '' })
  })

  test('exits with 1 for a sender without the right to the call', async () => {
    const stranger = payer.executor.address
    const sentBy = (from: string, name: string, ...args: unknown[]) =>
      decode({ ...callOf(vault, name, ...args), from }, ...withNode())
    const rescue = await sentBy(stranger, 'rescue', stranger, 1n)
    expect(rescue.stderr).toContain(`Only the owner ${payer.owner.address} may send`)
    const blocking = await sentBy(stranger, 'blockRecipient', payer.recipient)
    expect(blocking.stderr).toContain('Only the owner and current approvers may send')
    const { address } = payer.approver
    expect(await sentBy(address, 'blockRecipient', payer.recipient)).toMatchObject({ code: 0 })
    expect(await sentBy(stranger, 'emergencyPause')).toMatchObject({ code: 0 })
  })
})
