/** Fields that policies, prepared policies and policies that wait have in common. */
import { Type } from '#platform/schema.ts'
import { Address, BaseUnits, described, Timestamp } from '#platform/values.ts'

export const caps = {
  approvedCap: described(BaseUnits, 'The most that one approved payment may be'),
  automaticCap: described(
    BaseUnits,
    'The most that one automatic payment may be. At most `approvedCap`',
  ),
  lifetimeCap: described(
    BaseUnits,
    'The most that the vault may pay in total, under all its policies. At least `approvedCap`',
  ),
  reserveFloor: described(BaseUnits, 'The vault refuses a payment that would leave less than this'),
}

export const switches = {
  automaticEnabled: Type.Boolean({
    description: 'Whether the vault makes automatic payments, without the signature of an approver',
  }),
  paused: Type.Boolean({ description: 'Whether the vault refuses every payment' }),
}

export const policyExpiry = described(
  Timestamp,
  'From then on the vault refuses every payment. In whole seconds',
)

export const addresses = (description: string) => Type.Array(Address, { description })

export const listed = {
  approverAddresses: addresses('Wallets whose signature the vault accepts'),
  recipientAddresses: addresses(
    'Addresses that the vault lists as recipients, those that wait or are blocked included',
  ),
}
