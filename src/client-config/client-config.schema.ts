import { CommentBody, ExpenseBody, ReviewBody } from '#expenses/expenses.schema.ts'
import { OrganizationBody } from '#organizations/organizations.schema.ts'
import { RecipientBody } from '#organizations/recipients.schema.ts'
import { walletProviderTypes } from '#platform/config/providers.ts'
import { Type } from '#platform/schema.ts'
import { Address, described, NonNeg, oneOf, oneOfOrNull, PosInt } from '#platform/values.ts'
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

const ExplorerSchema = Type.Object(
  {
    transactionUrl: template('URL of a transaction. Replace `{transactionHash}`'),
    addressUrl: template('URL of an address. Replace `{address}`'),
    blockUrl: template('URL of a block. Replace `{blockNumber}`'),
  },
  { title: 'BlockExplorer' },
)

const most = (description: string) => described(PosInt, description)

const LengthsSchema = Type.Object(
  {
    organizationName: most('Name of an organization'),
    recipientLabel: most('Label of a recipient'),
    vaultLabel: most('Label of a vault'),
    walletPurpose: most('Purpose of a server wallet'),
    expensePurpose: most('Purpose of an expense'),
    reviewReason: most('Reason of a review'),
    comment: most('Comment on an expense'),
    supportSubject: most('Subject of a support case'),
    deviceLabel: most('Label of a device'),
  },
  { title: 'TextLengths', description: 'Maximum lengths of text fields, in code points' },
)

const CountsSchema = Type.Object(
  {
    policyApprovers: most('Approvers in a policy'),
    recipientChanges: most('Changes of recipients in one transaction'),
    expenseRevisions: most('Revisions of an expense'),
    expenseComments: most('Comments on an expense'),
    pushDevices: most('Active devices of an account. One more ends the one renewed longest ago'),
  },
  { title: 'CountLimits', description: 'Maximum numbers of things within another' },
)

const QuotasSchema = Type.Object(
  {
    organizationsPerAccount: most('Organizations that an account may create'),
    serverWalletsPerAccount: most('Server wallets of an account'),
    serverWalletsPerOrganization: most('Server wallets created for an organization'),
    executorsPerOrganization: most(
      'Executors provisioned for an organization, failed ones included',
    ),
    invitationsPerOrganization: most('Invitations that are open at the same time'),
    attachmentMibPerOrganization: most('Size of all attachments together, in MiB'),
    webhooksPerOrganization: most('Webhooks of an organization'),
  },
  { title: 'Quotas', description: 'What an account or an organization may have' },
)

const LimitsSchema = Type.Object(
  {
    requestBodyBytes: Type.Integer({
      description: 'The largest JSON body that most operations accept',
    }),
    attachmentBytes: Type.Integer({ description: 'The largest file that can be attached' }),
    lengths: LengthsSchema,
    counts: CountsSchema,
    quotas: QuotasSchema,
    requestsPerMinute: Type.Integer({ description: 'Per account; further requests get 429' }),
    streamsPerAccount: Type.Integer({
      description: 'Live streams; opening another ends the oldest',
    }),
  },
  { title: 'Limits', description: 'What requests may contain and how much there may be' },
)

const FeaturesSchema = Type.Object(
  {
    push: Type.Boolean({ description: 'Whether devices can subscribe to push messages' }),
    email: Type.Boolean({ description: 'Whether notifications are sent by e-mail' }),
    walletLinks: Type.Boolean({ description: 'Whether wallets can be linked by signature' }),
    funding: Type.Boolean({ description: 'Whether funding signers can deposit into vaults' }),
    model: Type.Boolean({
      description: 'Whether a model reviews expenses in addition to the rules',
    }),
    walletProvider: described(
      oneOfOrNull(walletProviderTypes),
      'Who holds the keys of server wallets. local: this service. Null: there are none here',
    ),
    paymentRelease: oneOf(['automatic', 'manual'], {
      description:
        'automatic: an authorised payment is sent without another decision. manual: an owner or ' +
        'a manager releases each one',
    }),
    organizationJoin: oneOf(['open', 'owner_confirms'], {
      description:
        'open: an invitation is enough. owner_confirms: an owner confirms people whom a manager ' +
        'invited',
    }),
  },
  { title: 'Features', description: 'What this deployment offers' },
)

export const ClientConfigSchema = Type.Object(
  {
    chain: Type.Object(
      {
        id: described(PosInt, 'EIP-155 id of the chain, as `chainId` elsewhere'),
        name: Type.String({ description: 'Name of the chain, for people' }),
        nativeSymbol: Type.Union([Type.String(), Type.Null()], {
          description:
            'Symbol of the currency that gas is paid in. Null if the chain is not known.',
        }),
        confirmations: Type.Integer({ description: 'Depth at which a transaction is final' }),
        explorer: Type.Union([ExplorerSchema, Type.Null()], {
          description: 'URL templates of a block explorer. Null if none is configured.',
        }),
      },
      { title: 'ConfiguredChain', description: 'The only chain that this deployment serves' },
    ),
    token: Type.Object(
      {
        symbol: Type.String({ description: 'Symbol to show beside amounts' }),
        address: described(Address, 'Contract of the token on this chain'),
        decimals: described(NonNeg, 'How many digits of an amount in base units are decimals'),
      },
      { title: 'ConfiguredToken', description: 'The token that vaults hold and pay' },
    ),
    limits: LimitsSchema,
    features: FeaturesSchema,
  },
  { $id: 'ClientConfig', 'x-extension': true },
)

export const clientConfigComponents = [ClientConfigSchema]
