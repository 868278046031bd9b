/** Values that have a component of their own in the OpenAPI document. */
import type { TSchema } from '#platform/schema.ts'
import {
  Address,
  BaseUnits,
  CalendarDate,
  Email,
  Hash,
  LowerAddress,
  Timestamp,
  Uuid,
} from '#platform/values.ts'

type Value = { name: string; pattern: string; schema: object }

const value = (
  name: string,
  schema: TSchema & { pattern?: string },
  about: { description: string; example: string },
): Value => ({
  name,
  pattern: schema.pattern ?? '',
  schema: { ...schema, description: about.description, examples: [about.example] },
})

export const namedValues: readonly Value[] = [
  value('UUID', Uuid, {
    description: 'An id. Ids that the service makes are UUIDs of version 7, ordered by time.',
    example: '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  }),
  value('Address', Address, {
    description:
      'An Ethereum address. Answers use the EIP-55 checksum; requests may use it or one case.',
    example: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  }),
  value('LowerCaseAddress', LowerAddress, {
    description: 'An Ethereum address in lower case.',
    example: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  }),
  value('Hash', Hash, {
    description: '32 bytes in hexadecimal: a transaction, a block or a digest.',
    example: '0x9c1f5e2a7b3d4c6e8f0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60',
  }),
  value('BaseUnits', BaseUnits, {
    description:
      'An amount in the smallest unit of its token or of the native currency, as a decimal ' +
      'string: with 6 decimals, "1500000" is 1.50. A string, because JSON numbers lose precision.',
    example: '1500000',
  }),
  value('Timestamp', Timestamp, {
    description: 'A date and time in UTC (RFC 3339).',
    example: '2026-05-04T09:30:00.000Z',
  }),
  value('Date', CalendarDate, {
    description: 'A calendar date of the years 2000 to 2099.',
    example: '2026-05-31',
  }),
  value('Email', Email, {
    description: 'An e-mail address.',
    example: 'ana.ruiz@acme.example',
  }),
]
