/** The demo's expenses that are paid, one per line. Amounts are in USDC. */
import type { CategoryCode, ColleagueName, RecipientName } from './furnish-people.ts'

/** What a colleague writes below an expense. */
type Remark = { by: ColleagueName; body: string }

export type PlannedExpense = {
  by: ColleagueName
  to: RecipientName
  amount: string
  what: string
  category: CategoryCode
  /** About how many months ago it is filed, on one of the days of furnish-calendar.ts. */
  monthsAgo?: 0 | 1 | 2 | 3
  /** Instead of `monthsAgo`: the day itself. */
  daysAgo?: number
  /** Days after filing. */
  due?: number
  vault?: 'events'
  receipt?: 'png' | 'none'
  remarks?: readonly Remark[]
  end: Ending
}

/** Where an expense is left, and what the reviewer wrote. */
type Ending =
  | { state: 'paid'; mode: 'automatic' }
  | { state: 'paid'; mode: 'approved'; reason: string }
  /** Sent back once, then signed. */
  | { state: 'paid'; mode: 'revised'; asked: string; answer: string; reason: string }
  | { state: 'draft' | 'cancelled' | 'needs_review' }
  | { state: 'revision_requested' | 'awaiting_approval' | 'rejected' | 'blocked'; reason: string }
  /** By one of the two approvers whom its amount needs. */
  | { state: 'partly_signed'; reason: string }

const automatic = { state: 'paid', mode: 'automatic' } as const
const signed = (reason: string) => ({ state: 'paid', mode: 'approved', reason }) as const

const [BEN, CHLOE, DANIEL, FARAH, HUGO] = [
  'Ben Adeyemi',
  'Chloe Martin',
  'Daniel Osei',
  'Farah Khan',
  'Hugo Silva',
] as const
const [INES, JONAS, MEI, OSCAR, PRIYA] = [
  'Ines Moreau',
  'Jonas Weber',
  'Mei Tanaka',
  'Oscar Lindgren',
  'Priya Nair',
] as const

type Line = readonly [
  by: ColleagueName,
  to: RecipientName,
  amount: string,
  category: CategoryCode,
  what: string,
  more?: Partial<PlannedExpense>,
]

/** Within the policy's limits, so nobody has to sign. */
const small: readonly Line[] = [
  [BEN, 'rail', '64.20', '6200', 'Train to the client workshop and back', { receipt: 'png' }],
  [
    CHLOE,
    'office',
    '38.75',
    '6400',
    'Paper, toner and envelopes for the front desk',
    { daysAgo: 0 },
  ],
  [
    DANIEL,
    'software',
    '49.00',
    '6100',
    'Monthly licence of the design tool',
    { daysAgo: 6, due: 5 },
  ],
  [FARAH, 'rail', '91.40', '6200', 'Train to the supplier visit', { monthsAgo: 1, receipt: 'png' }],
  [HUGO, 'hosting', '118.00', '6100', 'Staging servers for one month', { monthsAgo: 1, due: 9 }],
  [INES, 'print', '72.30', '6600', 'Business cards for two new colleagues', { monthsAgo: 2 }],
  [JONAS, 'office', '24.60', '6400', 'Whiteboard markers and sticky notes', { receipt: 'png' }],
  [MEI, 'software', '89.00', '6100', 'Licence of the font library', { monthsAgo: 3 }],
  [OSCAR, 'rail', '133.80', '6200', 'Two tickets for the regional trade fair', { due: 12 }],
  [PRIYA, 'hotel', '142.00', '6200', 'One night before the early client meeting', { monthsAgo: 1 }],
  [BEN, 'hosting', '57.50', '6100', 'Backup storage of the project archive', { monthsAgo: 2 }],
  [CHLOE, 'translation', '96.00', '6300', 'Proofreading of the product leaflet', { due: 14 }],
  [MEI, 'catering', '61.50', '6500', 'Lunch for the interview day', { vault: 'events' }],
  [JONAS, 'catering', '44.90', '6500', 'Coffee and fruit for the open house', { vault: 'events' }],
]

const larger: readonly Line[] = [
  [BEN, 'hosting', '1240.00', '6100', 'Production servers, first quarter of the contract'],
  [CHLOE, 'print', '1865.40', '6600', 'Printing of 2000 catalogues', { monthsAgo: 3, due: 20 }],
  [DANIEL, 'development', '4200.00', '6300', 'Booking form for the new website', { daysAgo: 75 }],
  [DANIEL, 'development', '3150.00', '6300', 'Search on the new website', { monthsAgo: 1, due: 8 }],
  [FARAH, 'legal', '2480.00', '6300', 'Review of the supplier contracts', { monthsAgo: 2 }],
  [FARAH, 'legal', '960.00', '6300', 'Advice on the new office lease', { daysAgo: 6, due: 18 }],
  [
    HUGO,
    'illustration',
    '1750.00',
    '6600',
    'Illustrations for the annual report',
    { monthsAgo: 1 },
  ],
  [HUGO, 'illustration', '680.00', '6600', 'Icons for the help pages', { monthsAgo: 3, due: 25 }],
  [INES, 'translation', '1420.00', '6300', 'Website in French and Spanish', { monthsAgo: 2 }],
  [INES, 'translation', '540.00', '6300', 'Contract template in Portuguese', { due: 30 }],
  [JONAS, 'software', '2990.00', '6100', 'Accounting software for one year', { monthsAgo: 3 }],
  [JONAS, 'software', '1188.00', '6100', 'Video meeting licences for one year', { monthsAgo: 1 }],
  [MEI, 'print', '735.20', '6600', 'Posters and roll-up banner', { monthsAgo: 2, receipt: 'png' }],
  [OSCAR, 'hotel', '1312.00', '6200', 'Rooms for the team at the trade fair', { due: 6 }],
  [OSCAR, 'rail', '874.60', '6200', 'Flights to the partner meeting', { monthsAgo: 1 }],
  [PRIYA, 'office', '1098.00', '6400', 'Four monitors for the studio', { monthsAgo: 2, due: 11 }],
  [PRIYA, 'office', '426.80', '6400', 'Chairs repaired and delivered', { monthsAgo: 3 }],
  [BEN, 'development', '2875.00', '6300', 'Export to the accounting software', { due: 15 }],
  [CHLOE, 'print', '512.00', '6600', 'Mailing to existing customers', { monthsAgo: 1 }],
  [HUGO, 'hosting', '1640.00', '6100', 'Larger database server, one quarter', { monthsAgo: 2 }],
  [MEI, 'venue', '1400.00', '6500', 'Hall for the company offsite', { vault: 'events', due: 21 }],
  [JONAS, 'catering', '1120.00', '6500', 'Dinner at the company offsite', { vault: 'events' }],
  [INES, 'venue', '620.00', '6500', 'Workshop room for two days', { vault: 'events', due: 28 }],
  [
    PRIYA,
    'catering',
    '385.00',
    '6500',
    'Lunch at the customer day',
    { vault: 'events', daysAgo: 1 },
  ],
]

const reasons = [
  'Ordered by us, and delivered',
  'Within the budget for the quarter',
  'The amount matches the signed offer',
  'Checked with the project lead',
]

const remarks: Partial<Record<string, readonly Remark[]>> = {
  'Printing of 2000 catalogues': [
    { by: 'Grace Lin', body: 'Is this the run with the corrected back page?' },
    { by: 'Chloe Martin', body: 'Yes, the proof was approved on Tuesday. It is attached.' },
  ],
  'Hall for the company offsite': [
    { by: 'Mei Tanaka', body: 'The deposit is refundable until two weeks before the date.' },
  ],
  'Booking form for the new website': [
    {
      by: 'Samir Haddad',
      body: 'Tested on staging with Daniel. Everything in the offer is there.',
    },
  ],
}

const planned = (line: Line, end: Ending): PlannedExpense => {
  const [by, to, amount, category, what, more] = line
  const written = remarks[what]
  return { by, to, amount, category, what, end, ...(written && { remarks: written }), ...more }
}

const sentBack: PlannedExpense = planned(
  [FARAH, 'hotel', '468.00', '6200', 'Three nights at the supplier audit', { monthsAgo: 1 }],
  {
    state: 'paid',
    mode: 'revised',
    asked: 'The invoice says two nights. Please correct the amount or add the second invoice.',
    answer: 'Corrected: the third night was paid by the supplier',
    reason: 'The amount now matches the invoice',
  },
)

export const paidExpenses: readonly PlannedExpense[] = [
  ...small.map((line) => planned(line, automatic)),
  ...larger.map((line, at) => planned(line, signed(reasons[at % reasons.length] ?? ''))),
  sentBack,
]
