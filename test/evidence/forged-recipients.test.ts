/** Evidence that names the wrong log of the recipient, and recipients that change around it. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import { concatHex, type Hex, numberToHex, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { encodeRecipients } from '#adapters/chain/vault-codec.ts'
import { callOf, claimedIn, evidenceFor, paid, statedRecipient } from '#test/support/evidence.ts'
import {
  CHAIN_ID,
  called,
  changeRecipients,
  eventIn,
  openPayer,
  openVault,
  type PayingVault,
  randomHash,
  timeOf,
  waitUntil,
} from '#test/support/paying-vaults.ts'
import { useStage } from './stage.ts'
import { onlyFor, verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused, expectRefusedByChain } = verdictsBy(() => stage.proxy.url)

const ALLOWED = 'chain: the recipient was allowed'
const KEPT = 'chain: the recipient was neither removed nor blocked'

const withListing = (evidence: Evidence, listing: PayingVault['listing']): Evidence => ({
  ...evidence,
  recipient: statedRecipient({ ...stage.vault, listing }),
})

/** A vault whose recipient was removed and listed again after its first payment. */
async function listedAgain() {
  const { payer } = stage
  const opened = await openVault(payer)
  const before = await paid(payer, opened)
  const removed = await changeRecipients(payer, opened, { remove: [payer.recipient] })
  await waitUntil(payer, (await timeOf(payer)) + 60)
  const again = await changeRecipients(payer, removed, { add: [payer.recipient] })
  return { before, opened, again }
}

describe('honest evidence', () => {
  test('stays verified after the recipient is blocked, unblocked and removed', async () => {
    const { payer } = stage
    const opened = await openVault(payer)
    const evidence = await paid(payer, opened)
    await called(payer, opened, 'blockRecipient', [payer.recipient], payer.approver)
    expect((await check(evidence)).verdict).toBe('verified')
    await called(payer, opened, 'unblockRecipient', [payer.recipient])
    expect((await check(await paid(payer, opened))).verdict).toBe('verified')
    await changeRecipients(payer, opened, { remove: [payer.recipient] })
    expect((await check(evidence)).verdict).toBe('verified')
  })

  test('of a recipient that was listed again is verified with the newer log', async () => {
    const { again } = await listedAgain()
    expect((await check(await paid(stage.payer, again))).verdict).toBe('verified')
  })

  test('of a recipient that had to wait is verified from the first moment on', async () => {
    const payer = { ...stage.payer, recipient: stage.stranger.address }
    const opened = await openVault(stage.payer, { changeDelaySeconds: 3_600 })
    const listed = await changeRecipients(payer, opened, { add: [payer.recipient] })
    await expect(paid(payer, listed)).rejects.toThrow('refused the payment')
    const { allowedFromSeconds } = listed.listing
    await waitUntil(payer, allowedFromSeconds)
    const evidence = await paid(payer, listed)
    const { verdict, findings } = await check(evidence)
    expect(verdict).toBe('verified')
    expect(findings.find(({ link }) => link === ALLOWED)?.detail).toContain(
      `from ${secondsToTimestamp(allowedFromSeconds)}, list 2`,
    )
  })
})

describe('a log that did not allow the recipient', () => {
  test('114: of another vault is refused', async () => {
    const other = await openVault(stage.payer)
    await expectRefusedByChain(withListing(stage.honest, other.listing), [ALLOWED])
  })

  test('115: of a later block is refused', async () => {
    const { before, again } = await listedAgain()
    expect((await check(before)).verdict).toBe('verified')
    await expectRefusedByChain(withListing(before, again.listing), [ALLOWED, KEPT])
  })

  test('116: that was overtaken by a removal and a newer listing is refused', async () => {
    const { opened, again } = await listedAgain()
    const evidence = await paid(stage.payer, again)
    await expectRefusedByChain(withListing(evidence, opened.listing), [KEPT])
  })

  test('117: that lists somebody else is refused', async () => {
    const { payer } = stage
    const opened = await openVault(payer)
    const receipt = await called(payer, opened, 'changeRecipients', [
      1n,
      [stage.stranger.address],
      [],
    ])
    const { allowedFromSeconds } = eventIn(receipt.logs, 'RecipientsChanged')
    const { transactionHash } = receipt
    const evidence = await paid(payer, opened)
    const forged = withListing(evidence, { version: 2, allowedFromSeconds, transactionHash })
    await expectRefusedByChain(forged, [ALLOWED])
  })

  test('118: of an unknown or unrelated transaction is refused', async () => {
    const { listing } = stage.vault
    const unrelated = stage.honest.event?.transactionHash as Hex
    for (const transactionHash of [randomHash(), unrelated]) {
      await expectRefusedByChain(withListing(stage.honest, { ...listing, transactionHash }), [
        ALLOWED,
      ])
    }
  })

  test('119: with another number or another moment than logged is refused', async () => {
    const { listing } = stage.vault
    const later = { ...listing, version: 2 }
    await expectRefusedByChain(withListing(stage.honest, later), [ALLOWED])
    const earlier = { ...listing, allowedFromSeconds: listing.allowedFromSeconds - 1 }
    await expectRefusedByChain(withListing(stage.honest, earlier), [ALLOWED, KEPT])
  })

  test('120: left out, or after the deadline, is refused offline', async () => {
    const none = { ...stage.honest, recipient: null }
    await expectRefused(none, ['recipient allowed', ALLOWED])
    const late = withListing(stage.honest, {
      ...stage.vault.listing,
      allowedFromSeconds: 3_900_000_001,
    })
    const { verdict, findings } = await checkEvidence(late)
    expect(verdict).toBe('refused')
    expect(findings.filter(({ holds }) => !holds).map(({ link }) => link)).toEqual([
      'recipient allowed',
    ])
  })
})

describe('a node that calls the recipient', () => {
  const recipientOf = toFunctionSelector('recipientOf(address)')

  const answering = (allowedFrom: number, isBlocked: boolean) => {
    const words = [allowedFrom, isBlocked ? 1 : 0].map((value) => numberToHex(value, { size: 32 }))
    stage.proxy.tamper = onlyFor('eth_call', (answer: Hex, { params }) => {
      const { data } = params[0] as { data: string }
      return data.startsWith(recipientOf) ? concatHex(words) : answer
    })
  }

  test('121: blocked or removed before the payment refuses the evidence', async () => {
    const { allowedFromSeconds } = stage.vault.listing
    answering(allowedFromSeconds, false)
    expect((await check(stage.honest)).verdict).toBe('verified')
    answering(allowedFromSeconds, true)
    await expectRefused(stage.honest, [KEPT])
    answering(0, false)
    await expectRefused(stage.honest, [KEPT])
  })
})

test('changes in the block of the payment count if they come before it', async () => {
  const payer = await openPayer({ mineAfterMs: 400 })
  try {
    const opened = await openVault(payer)
    const removed = await changeRecipients(payer, opened, { remove: [payer.recipient] })
    const place = {
      chainId: CHAIN_ID,
      vaultAddress: removed.address,
      ownerAddress: payer.owner.address,
    }
    const { data } = encodeRecipients({
      ...place,
      expectedRecipientsVersion: 2,
      add: [payer.recipient],
      remove: [],
    })
    const unpaid = await evidenceFor(payer, removed)
    const gas = '0x7a1200'
    const to = removed.address
    const adding = await payer.owner.send({ to, data, gas })
    const paying = await payer.executor.send({ to, data: callOf(unpaid), gas })
    const { client } = payer.chain
    const added = await client.waitForTransactionReceipt({ hash: adding })
    const receipt = await client.waitForTransactionReceipt({ hash: paying })
    expect([receipt.status, receipt.blockNumber]).toEqual(['success', added.blockNumber])
    const { allowedFromSeconds } = eventIn(added.logs, 'RecipientsChanged')
    const listing = { version: 3, allowedFromSeconds, transactionHash: adding }
    const evidence = {
      ...claimedIn(unpaid, receipt),
      recipient: statedRecipient({ ...removed, listing }),
    }
    const own = verdictsBy(() => payer.chain.rpcUrl)
    expect((await own.check(evidence)).verdict).toBe('verified')
  } finally {
    await payer.chain.stop()
  }
})
