/** How a policy differs from the one in force, as the API shows it. */
import { type TSchema, Type } from '#platform/schema.ts'
import { Address, BaseUnits, described, extension, nullable, Timestamp } from '#platform/values.ts'
import { limitChanges } from './policy-limits.schema.ts'

const AddressListChange = (description: string) =>
  Type.Object(
    {
      added: Type.Array(Address, { description: 'Not in the policy in force, but in this one' }),
      removed: Type.Array(Address, { description: 'In the policy in force, but not in this one' }),
    },
    { title: 'AddressListChange', description },
  )

const changeOf =
  <T extends TSchema>(title: string, value: T) =>
  (what: string) =>
    nullable(
      Type.Object(
        {
          from: nullable(described(value, 'In the policy in force. Null if there is none')),
          to: described(value, 'In the prepared policy'),
        },
        { title, description: `${what}. Null if unchanged` },
      ),
    )

const addressChange = changeOf('AddressChange', Address)
const amountChange = changeOf('AmountChange', BaseUnits)
const timeChange = changeOf('TimeChange', Timestamp)
const switchChange = changeOf('SwitchChange', Type.Boolean())

export const ChangesSchema = Type.Object(
  {
    recipients: AddressListChange('Addresses that the vault may pay: what the transaction changes'),
    approvers: AddressListChange('Wallets whose signature the vault accepts'),
    executor: addressChange('Who sends the payments'),
    approvedCap: amountChange('The most that one approved payment may be'),
    automaticCap: amountChange('The most that one automatic payment may be'),
    lifetimeCap: amountChange('The most that the vault may pay in total'),
    reserveFloor: amountChange('What a payment must leave in the vault'),
    ...limitChanges,
    expiresAt: timeChange('When the policy ends'),
    automaticEnabled: switchChange('Whether the vault makes automatic payments'),
    paused: switchChange('Whether the vault refuses every payment'),
  },
  {
    ...extension,
    title: 'PolicyChanges',
    description:
      'How it differs from the policy in force when it was prepared. Show it before signing',
  },
)
