import { Type } from 'typebox'
import { CommentBody, ExpenseBody, ReviewBody } from '#expenses/expenses.schema.ts'
import { OrganizationBody } from '#organizations/organizations.schema.ts'
import { RecipientBody } from '#organizations/recipients.schema.ts'
import { walletProviderTypes } from '#platform/config/providers.ts'
import { Address, NonNeg, oneOf, oneOfOrNull, PosInt } from '#platform/values.ts'
import { SubscribeBody } from '#push/push.schema.ts'
import { CaseBody } from '#support/support.schema.ts'
import { PrepareDeploymentBody } from '#treasury/treasury.schema.ts'
import { CreateWalletBody } from '#wallets/wallets.schema.ts'

const lengthOf = (schema: object): number => {
  if ('maxLength' in schema && typeof schema.maxLength === 'number') return schema.maxLength
  throw new Error('The field has no maximum length')
}

/** Taken from the bodies that enforce them. */
export const lengths = {
  organizationName: lengthOf(OrganizationBody.properties.name),
  recipientLabel: lengthOf(RecipientBody.properties.label),
  vaultLabel: lengthOf(PrepareDeploymentBody.properties.label),
  walletPurpose: lengthOf(CreateWalletBody.properties.purpose),
  expensePurpose: lengthOf(ExpenseBody.properties.purpose),
  reviewReason: lengthOf(ReviewBody.properties.reason),
  comment: lengthOf(CommentBody.properties.body),
  supportSubject: lengthOf(CaseBody.properties.subject),
  deviceLabel: lengthOf(SubscribeBody.properties.deviceLabel),
}

const template = (description: string) => Type.String({ description })

const ExplorerSchema = Type.Object({
  transactionUrl: template('Replace `{transactionHash}`'),
  addressUrl: template('Replace `{address}`'),
  blockUrl: template('Replace `{blockNumber}`'),
})

const LimitsSchema = Type.Object({
  requestBodyBytes: Type.Integer({
    description: 'The largest JSON body that most operations accept',
  }),
  attachmentBytes: Type.Integer({ description: 'The largest file that can be attached' }),
  lengths: Type.Object(
    {
      organizationName: PosInt,
      recipientLabel: PosInt,
      vaultLabel: PosInt,
      walletPurpose: PosInt,
      expensePurpose: PosInt,
      reviewReason: PosInt,
      comment: PosInt,
      supportSubject: PosInt,
      deviceLabel: PosInt,
    },
    { description: 'Maximum lengths of text fields, in code points' },
  ),
  counts: Type.Object({
    policyApprovers: PosInt,
    policyRecipients: PosInt,
    expenseRevisions: PosInt,
    expenseComments: PosInt,
    pushDevices: PosInt,
  }),
  quotas: Type.Object({
    organizationsPerAccount: PosInt,
    serverWalletsPerAccount: PosInt,
    serverWalletsPerOrganization: PosInt,
    executorsPerOrganization: PosInt,
    invitationsPerOrganization: PosInt,
    attachmentMibPerOrganization: PosInt,
    webhooksPerOrganization: PosInt,
  }),
  requestsPerMinute: Type.Integer({ description: 'Per account; further requests get 429' }),
  streamsPerAccount: Type.Integer({ description: 'Live streams; opening another ends the oldest' }),
})

const FeaturesSchema = Type.Object({
  push: Type.Boolean({ description: 'Whether devices can subscribe to push messages' }),
  email: Type.Boolean({ description: 'Whether notifications are sent by e-mail' }),
  walletLinks: Type.Boolean({ description: 'Whether wallets can be linked by signature' }),
  funding: Type.Boolean({ description: 'Whether funding signers can deposit into vaults' }),
  model: Type.Boolean({ description: 'Whether a model reviews expenses in addition to the rules' }),
  walletProvider: oneOfOrNull(walletProviderTypes),
  paymentRelease: oneOf(['automatic', 'manual'], {
    description: 'manual: an owner or a manager releases each authorised payment',
  }),
  organizationJoin: oneOf(['open', 'owner_confirms'], {
    description: 'owner_confirms: an owner confirms people whom a manager invited',
  }),
})

export const ClientConfigSchema = Type.Object(
  {
    chain: Type.Object({
      id: PosInt,
      name: Type.String(),
      confirmations: Type.Integer({ description: 'Depth at which a transaction is final' }),
      explorer: Type.Union([ExplorerSchema, Type.Null()], {
        description: 'URL templates of a block explorer. Null if none is configured.',
      }),
    }),
    token: Type.Object({ symbol: Type.String(), address: Address, decimals: NonNeg }),
    limits: LimitsSchema,
    features: FeaturesSchema,
  },
  { $id: 'ClientConfig', 'x-extension': true },
)

export const clientConfigComponents = [ClientConfigSchema]
