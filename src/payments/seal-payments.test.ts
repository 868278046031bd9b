import type { Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Tx } from '#platform/database/database.ts'
import type { MacKey } from '#platform/secrets.ts'
import { sealPayments } from './seal-payments.ts'
import { type AutomaticTerms, isSealedAuthorization, sealAuthorization } from './worker-mac.ts'

const keyOf = (id: string, byte: number): MacKey => ({ id, key: new Uint8Array(32).fill(byte) })
const [current, previous, stranger] = [keyOf('b', 2), keyOf('a', 1), keyOf('x', 9)]

const id = (n: number): string => `0198a000-0000-7000-8000-00000000000${n}`
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const terms: AutomaticTerms = {
  ...{ organizationId: id(1), expenseId: id(2), revision: 1, versionHash: hash('1') },
  ...{ reportHash: hash('2'), vaultId: id(3), recipientAddress: `0x${'3'.repeat(40)}` },
  ...{ amount: 1_000n, policyVersion: 4, deadline: '2026-05-01T12:00:00.000Z' },
}
const unsealed = { ...terms, id: id(4), mac: null, keyId: null, isOld: true }
const sealedWith = (key: MacKey) => ({
  ...terms,
  ...{ id: id(4), isOld: true },
  ...sealAuthorization({ current: key }, terms),
})

/** Seals these rows, and returns the values of each row that was written. */
async function sealed(rows: readonly object[], { isUpgrade = false, keys = {} } = {}) {
  const written: unknown[][] = []
  const query = async () => rows
  const write = ({ values }: Sql) => void written.push(values)
  const tx = { query, write, announce: () => {} } as unknown as Tx
  const asked = { organizationId: id(1), keyId: current.id, isUpgrade }
  const tally = await sealPayments(tx, { ...asked, keys: { current, previous, ...keys } })
  return { ...tally, written }
}

const refused = { sealed: 0, refused: [`payment ${id(4)}`], written: [] }

test('what the previous key has sealed is sealed with the current one', async () => {
  const { written, ...tally } = await sealed([sealedWith(previous)])
  expect(tally).toEqual({ sealed: 1, refused: [] })
  const [mac, keyId, organizationId, paymentId] = written[0] as [Buffer, string, string, string]
  expect([keyId, organizationId, paymentId]).toEqual([current.id, id(1), id(4)])
  expect(isSealedAuthorization([current], terms, { mac, keyId })).toBe(true)
})

test('what another key has sealed is refused, also in an upgrade', async () => {
  expect(await sealed([sealedWith(stranger)])).toEqual(refused)
  expect(await sealed([sealedWith(stranger)], { isUpgrade: true })).toEqual(refused)
  expect(await sealed([sealedWith(previous)], { keys: { previous: undefined } })).toEqual(refused)
})

test('what nobody has sealed is sealed in an upgrade only, and only if it is old', async () => {
  expect(await sealed([unsealed])).toEqual(refused)
  expect(await sealed([{ ...unsealed, isOld: false }], { isUpgrade: true })).toEqual(refused)
  expect(await sealed([unsealed], { isUpgrade: true })).toMatchObject({ sealed: 1, refused: [] })
})

test('each row is counted once', async () => {
  const rows = [sealedWith(previous), sealedWith(previous), sealedWith(stranger)]
  expect(await sealed(rows)).toMatchObject({ sealed: 2, refused: [`payment ${id(4)}`] })
})
