/** Importing many recipients, and warnings about look-alike addresses. */
import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { writeExecutor, writeVaults } from '#test/support/books.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addRecipient,
  CHAIN_ID,
  freshKey,
  outcome,
  randomAddress,
  tally,
  times,
} from '#test/support/steps.ts'

let service: TestApp
let acme: Organization

beforeAll(async () => {
  service = await sharedTestApp()
  acme = await createOrganization(service)
})

type Row = Record<string, unknown>

const row = (more: Row = {}): Row => ({
  label: 'Acme Supplies',
  address: randomAddress(),
  chainId: CHAIN_ID,
  ...more,
})

const importAll = (
  { path, owner }: Organization,
  recipients: unknown,
  { token = owner.token, headers = freshKey() } = {},
) => service.call('POST', `${path}/recipients/import`, { token, body: { recipients }, headers })

const countOf = async ({ path, owner }: Organization): Promise<number> => {
  const url = `${path}/recipients?limit=200`
  return (await service.call('GET', url, { token: owner.token })).body.recipients.length
}

const auditOf = async ({ id }: Organization, action: string) => {
  const token = await service.operatorToken()
  const { body } = await service.call('GET', `/v1/admin/organizations/${id}`, { token })
  return body.auditEvents.filter((event: { action: string }) => event.action === action)
}

/** Another address with the same first and last four characters. */
const lookAlikeOf = (address: string): string =>
  `${address.slice(0, 6)}${randomBytes(16).toString('hex')}${address.slice(-4)}`.toLowerCase()

describe('POST {org}/recipients/import', () => {
  test('adds every row in the given order', async () => {
    const home = await createOrganization(service)
    const rows = times(500, (n) => row({ label: `Payee ${n}` }))
    const { status, body } = await importAll(home, rows)
    expect(status).toBe(201)
    expect(body.warnings).toEqual([])
    expect(body.recipients).toEqual(
      rows.map(({ label, address }) => ({
        id: expect.any(String),
        organizationId: home.id,
        label,
        address: getAddress(String(address)),
        chainId: CHAIN_ID,
        active: true,
      })),
    )
    expect(await countOf(home)).toBe(200)
  })

  test('is audited, one event per recipient', async () => {
    const home = await createOrganization(service)
    const { body } = await importAll(home, [row(), row()])
    const events = await auditOf(home, 'recipient.added')
    const ids = body.recipients.map(({ id }: { id: string }) => id)
    expect(events.map((event: { aggregateId: string }) => event.aggregateId).sort()).toEqual(
      ids.sort(),
    )
    expect(events[0].actorAccountId).toBe(home.owner.accountId)
  })

  test('replays with the same Idempotency-Key and refuses another body with it', async () => {
    const home = await createOrganization(service)
    const headers = freshKey()
    const rows = [row()]
    const first = await importAll(home, rows, { headers })
    const again = await importAll(home, rows, { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(outcome(await importAll(home, [row()], { headers }))).toBe('409 idempotency_key_reused')
    expect(outcome(await importAll(home, [row()], { headers: {} }))).toBe(
      '400 idempotency_key_required',
    )
    expect(await countOf(home)).toBe(1)
  })

  test('names each row that breaks the schema, and adds none', async () => {
    const home = await createOrganization(service)
    const rows = [
      row(),
      row({ address: 'vitalik.eth' }),
      row({ label: '' }),
      { label: 'No address', chainId: CHAIN_ID },
      row({ more: 1 }),
      'text',
      row({ chainId: '1' }),
    ]
    const answer = await importAll(home, rows)
    expect(outcome(answer)).toBe('400 validation_failed')
    const { message } = answer.body.error
    expect(message).toContain('`recipients[1].address` must be an address')
    expect(message).toContain('`recipients[2].label` must have from 1 to 100 characters.')
    expect(message).toContain('`recipients[3].address` is required.')
    expect(message).toContain('`recipients[4].more` is not a known field.')
    expect(message).toContain('`recipients[5]` must be a JSON object.')
    expect(message).toContain('`recipients[6].chainId` must be an integer.')
    expect(message).not.toContain('recipients[0]')
    expect(await countOf(home)).toBe(0)
  })

  test('names a row with a wrong checksum', async () => {
    const address = getAddress(`0x${'ab'.repeat(20)}`)
    const wrong = address.replace(/[A-F]/, (letter) => letter.toLowerCase())
    const answer = await importAll(acme, [row(), row({ address: wrong })])
    expect(answer.body.error.message).toMatch(/^`recipients\[1\]\.address` has a wrong EIP-55/)
  })

  test('names each row that cannot be paid or repeats an address, and adds none', async () => {
    const home = await createOrganization(service)
    const existing = (await addRecipient(service, home)).body
    const { addresses } = await writeVaults(service, home.id, 1)
    const executor = await writeExecutor(service, home.id)
    const twice = randomAddress()
    const answer = await importAll(home, [
      row({ address: twice }),
      row({ address: getAddress(twice) }),
      row({ address: existing.address }),
      row({ address: addresses[0] }),
      row({ address: executor.address }),
      row({ address: `0x${'00'.repeat(20)}` }),
      row({ address: service.ctx.chain.tokenAddress }),
      row({ chainId: 1 }),
      row({ label: '\u200b' }),
    ])
    expect(outcome(answer)).toBe('400 validation_failed')
    const { message } = answer.body.error
    expect(message).toContain('`recipients[1]`: It repeats the address of `recipients[0]`.')
    expect(message).toContain('`recipients[2]`: An active recipient already has this address.')
    for (const n of [3, 4]) {
      expect(message).toContain(`\`recipients[${n}]\`: \`address\` must not be a vault`)
    }
    expect(message).toContain('`recipients[5]`: `address` must not be the zero address.')
    expect(message).toContain('`recipients[6]`: `address` must not be the token.')
    expect(message).toContain('`recipients[7]`: This deployment pays only on chain')
    expect(message).toContain('`recipients[8]`: `label` must have a visible character.')
    expect(message).not.toContain('`recipients[0]`:')
    expect(await countOf(home)).toBe(1)
  })

  test('adds a deactivated address again', async () => {
    const home = await createOrganization(service)
    const { id, address } = (await addRecipient(service, home)).body
    const { token } = home.owner
    await service.call('POST', `${home.path}/recipients/${id}/deactivate`, { token })
    expect(outcome(await importAll(home, [row({ address })]))).toBe('201')
  })

  test.each([[[]], [times(501, () => row())], ['text'], [undefined]])(
    'refuses a list that is not 1 to 500 rows',
    async (recipients) => {
      const answer = await importAll(acme, recipients)
      expect(outcome(answer)).toBe('400 validation_failed')
      expect(answer.body.error.message).toMatch(/^`recipients` /)
    },
  )

  test('takes a body of up to 256 KiB, where others take 64', async () => {
    const home = await createOrganization(service)
    const long = times(500, () => row({ label: '渡'.repeat(100) }))
    expect(JSON.stringify({ recipients: long }).length).toBeGreaterThan(64 * 1024)
    expect(outcome(await importAll(home, long))).toBe('201')
    const answer = await service.call('POST', `${home.path}/recipients/import`, {
      token: home.owner.token,
      headers: freshKey(),
      raw: `{"recipients":[]}${' '.repeat(256 * 1024)}`,
    })
    expect(outcome(answer)).toBe('413 payload_too_large')
    expect(answer.body.error.message).toContain('256 KiB')
  })

  test('of two imports of one address at once, one succeeds', async () => {
    const home = await createOrganization(service)
    const rows = [row()]
    const answers = await Promise.all(times(4, () => importAll(home, rows)))
    const { 201: added, ...refused } = tally(answers)
    expect(added).toBe(1)
    const allowed = ['400 validation_failed', '409 duplicate']
    expect(Object.keys(refused).filter((one) => !allowed.includes(one))).toEqual([])
    expect(await countOf(home)).toBe(1)
  })

  test('is for owners and managers of the organization', async () => {
    const manager = await joinOrganization(service, acme, { role: 'manager' })
    const employee = await joinOrganization(service, acme, { role: 'employee' })
    const stranger = await service.signIn()
    const as = (token: string) => importAll(acme, [row()], { token })
    expect(outcome(await as(manager.token))).toBe('201')
    expect(outcome(await as(employee.token))).toBe('403 role_required')
    expect(outcome(await as(stranger.token))).toBe('403 forbidden')
  })
})

describe('look-alike addresses', () => {
  test('are named when a recipient is added', async () => {
    const home = await createOrganization(service)
    const known = (await addRecipient(service, home, { label: 'Known' })).body
    expect(known).not.toHaveProperty('warnings')
    const headers = freshKey()
    const address = lookAlikeOf(known.address)
    const added = await addRecipient(service, home, { address, headers })
    expect(added.status).toBe(201)
    expect(added.body.warnings).toEqual([
      {
        code: 'look_alike_address',
        message: expect.stringContaining(known.address),
        address: getAddress(address),
        existingRecipientId: known.id,
        existingLabel: 'Known',
        existingAddress: known.address,
      },
    ])
    const again = await addRecipient(service, home, { address, headers })
    expect(again.body).toEqual(added.body)
    const { body } = await service.call('GET', `${home.path}/recipients`, {
      token: home.owner.token,
    })
    expect(body.recipients[0]).not.toHaveProperty('warnings')
  })

  test('are named by an import, also among its own rows', async () => {
    const home = await createOrganization(service)
    const address = randomAddress()
    const rows = [row({ address, label: 'A' }), row({ address: lookAlikeOf(address), label: 'B' })]
    const { body } = await importAll(home, rows)
    const pairs = body.warnings.map(({ address: one, existingLabel }: Record<string, string>) => [
      one,
      existingLabel,
    ])
    expect(pairs).toEqual([
      [getAddress(address), 'B'],
      [getAddress(String(rows[1]?.address)), 'A'],
    ])
  })

  test('of another organization are not named', async () => {
    const known = (await addRecipient(service, acme)).body
    const other = await createOrganization(service)
    const added = await addRecipient(service, other, { address: lookAlikeOf(known.address) })
    expect(added.body).not.toHaveProperty('warnings')
  })

  test('share both ends: four characters at one end are not enough', async () => {
    const home = await createOrganization(service)
    const { address } = (await addRecipient(service, home)).body
    const turned = address.endsWith('0') ? '1' : '0'
    const other = `${lookAlikeOf(address).slice(0, -1)}${turned}`
    const added = await addRecipient(service, home, { address: other })
    expect(outcome(added)).toBe('201')
    expect(added.body).not.toHaveProperty('warnings')
  })
})
