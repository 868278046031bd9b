/** The suppliers of the finance month, as a file that somebody imports. */
import { createHash } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import type { Answer } from './app.ts'
import type { Colleague, Company } from './finance-month.ts'
import { CHAIN_ID, freshKey, times } from './steps.ts'

type SupplierRow = { label: string; address: Address; chainId: number }

const addressOf = (label: string): Address =>
  getAddress(`0x${createHash('sha256').update(label).digest('hex').slice(0, 40)}`)

/** The file as the bookkeeper has it: eight shops and four contractors. */
export const supplierFile = (): SupplierRow[] =>
  [...times(8, (n) => `Shop ${n + 1}`), ...times(4, (n) => `Contractor ${n + 1}`)].map((label) => ({
    label,
    address: addressOf(label),
    chainId: CHAIN_ID,
  }))

/** The first letter in the other case: the address is the same, its checksum is not. */
export const mistyped = (address: Address): string =>
  address.replace(/(?<=^0x.*)[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )

export const importSuppliers = (
  { path, treasury: { service } }: Company,
  recipients: unknown[],
  { person }: Colleague,
): Promise<Answer> =>
  service.call('POST', `${path}/recipients/import`, {
    token: person.token,
    headers: freshKey(),
    body: { recipients },
  })
