/** Who works at the company of the demo, what they are paid from, and whom they pay. */
export type DemoRole = 'owner' | 'manager' | 'employee'

export type Colleague = {
  name: string
  role: DemoRole
  /** What the person's wallet may do in the treasury; without it they have no wallet. */
  walletRole?: 'treasury_owner' | 'approver'
}

export const ORGANIZATION = 'Larkfield Studio'

/** The first one creates the organization, and every other owner starts as a manager. */
export const colleagues = [
  { name: 'Ana Ruiz', role: 'owner', walletRole: 'treasury_owner' },
  { name: 'Tom Becker', role: 'owner', walletRole: 'approver' },
  { name: 'Grace Lin', role: 'manager', walletRole: 'approver' },
  { name: 'Samir Haddad', role: 'manager', walletRole: 'approver' },
  { name: 'Elena Petrova', role: 'manager' },
  { name: 'Ben Adeyemi', role: 'employee' },
  { name: 'Chloe Martin', role: 'employee' },
  { name: 'Daniel Osei', role: 'employee' },
  { name: 'Farah Khan', role: 'employee' },
  { name: 'Hugo Silva', role: 'employee' },
  { name: 'Ines Moreau', role: 'employee' },
  { name: 'Jonas Weber', role: 'employee' },
  { name: 'Mei Tanaka', role: 'employee' },
  { name: 'Oscar Lindgren', role: 'employee' },
  { name: 'Priya Nair', role: 'employee' },
] as const satisfies readonly Colleague[]

export type ColleagueName = (typeof colleagues)[number]['name']

/** With the codes of the accountant's chart of accounts. */
export const categories = [
  { code: '6100', name: 'Software and hosting' },
  { code: '6200', name: 'Travel' },
  { code: '6300', name: 'Contractors' },
  { code: '6400', name: 'Office and supplies' },
  { code: '6500', name: 'Events' },
  { code: '6600', name: 'Marketing and print' },
] as const

export type CategoryCode = (typeof categories)[number]['code']

/** Those of `late` are added after the policies were signed, so no vault pays them yet. */
export const recipients = {
  hosting: 'Northgate Hosting',
  software: 'Tilia Software Licences',
  rail: 'Rail and Air Desk',
  hotel: 'Harbour View Guesthouse',
  print: 'Millgate Print',
  office: 'Corner Office Supplies',
  translation: 'Ferrer Translations',
  illustration: 'Lindqvist Illustration',
  development: 'Okafor Development',
  legal: 'Brandt and Daughter, Solicitors',
  catering: 'Greenfield Catering',
  venue: 'Old Mill Venue Hire',
  media: 'Danube Media Placement',
} as const

export const late = { furniture: 'Ashdown Furniture' } as const

export type RecipientName = keyof typeof recipients | keyof typeof late

/** The token's issuer puts this one on its blacklist, so that payments to it are refused. */
export const BLACKLISTED: RecipientName = 'media'

/** An approver blocks this one in the main vault, because its account may be stolen. */
export const BLOCKED: RecipientName = 'hotel'
