/** The demo's expenses that are not paid: somebody still has to do something, or said no. */
import type { PlannedExpense } from './furnish-paid.ts'

const drafts: readonly PlannedExpense[] = [
  {
    by: 'Ben Adeyemi',
    to: 'rail',
    amount: '210.00',
    what: 'Flight to the autumn conference',
    category: '6200',
    end: { state: 'draft' },
  },
  {
    by: 'Mei Tanaka',
    to: 'print',
    amount: '340.00',
    what: 'Stickers for the product launch',
    category: '6600',
    receipt: 'none',
    end: { state: 'draft' },
  },
  {
    by: 'Oscar Lindgren',
    to: 'venue',
    amount: '750.00',
    what: 'Room for the winter party',
    category: '6500',
    vault: 'events',
    due: 45,
    end: { state: 'draft' },
  },
]

const waitingForReview: readonly PlannedExpense[] = [
  {
    by: 'Daniel Osei',
    to: 'development',
    amount: '3600.00',
    what: 'Second phase of the customer portal',
    category: '6300',
    due: 10,
    remarks: [{ by: 'Daniel Osei', body: 'The offer for this phase is on page two of the PDF.' }],
    end: { state: 'needs_review' },
  },
  {
    by: 'Chloe Martin',
    to: 'print',
    amount: '5400.00',
    what: 'Printing of the anniversary book',
    category: '6600',
    due: 16,
    end: { state: 'needs_review' },
  },
  {
    by: 'Hugo Silva',
    to: 'software',
    amount: '620.00',
    what: 'Renewal of the code review service',
    category: '6100',
    due: -4,
    end: { state: 'needs_review' },
  },
  {
    by: 'Priya Nair',
    to: 'furniture',
    amount: '1890.00',
    what: 'Six height-adjustable desks',
    category: '6400',
    due: 22,
    remarks: [
      { by: 'Priya Nair', body: 'The supplier is new. Could somebody add it to the policy?' },
    ],
    end: { state: 'needs_review' },
  },
  {
    by: 'Jonas Weber',
    to: 'hotel',
    amount: '876.00',
    what: 'Rooms for the speakers of the customer day',
    category: '6200',
    due: 7,
    receipt: 'png',
    end: { state: 'needs_review' },
  },
  {
    by: 'Farah Khan',
    to: 'rail',
    amount: '318.40',
    what: 'Rail passes for the sales team',
    category: '6200',
    end: { state: 'needs_review' },
  },
]

const sentBack: readonly PlannedExpense[] = [
  {
    by: 'Ben Adeyemi',
    to: 'hotel',
    amount: '296.00',
    what: 'Two nights at the developer meeting',
    category: '6200',
    receipt: 'none',
    monthsAgo: 1,
    remarks: [{ by: 'Ben Adeyemi', body: 'I have asked the hotel for a copy of the invoice.' }],
    end: { state: 'revision_requested', reason: 'Please attach the invoice of the hotel.' },
  },
  {
    by: 'Ines Moreau',
    to: 'translation',
    amount: '812.00',
    what: 'Translation of the user manual',
    category: '6300',
    end: {
      state: 'revision_requested',
      reason: 'The offer was for 780.00. Please check the number of words with the translator.',
    },
  },
  {
    by: 'Oscar Lindgren',
    to: 'office',
    amount: '189.90',
    what: 'Headsets for the support team',
    category: '6100',
    end: {
      state: 'revision_requested',
      reason: 'This belongs to office and supplies, not to software.',
    },
  },
]

const waitingForSignature: readonly PlannedExpense[] = [
  {
    by: 'Daniel Osei',
    to: 'hosting',
    amount: '1480.00',
    what: 'Production servers, second quarter of the contract',
    category: '6100',
    due: 4,
    end: { state: 'awaiting_approval', reason: 'As agreed in the contract' },
  },
  {
    by: 'Mei Tanaka',
    to: 'illustration',
    amount: '920.00',
    what: 'Cover of the anniversary book',
    category: '6600',
    due: 13,
    end: { state: 'awaiting_approval', reason: 'The final drawings have arrived' },
  },
  {
    by: 'Farah Khan',
    to: 'legal',
    amount: '1750.00',
    what: 'Registration of the trade mark',
    category: '6300',
    due: 9,
    remarks: [{ by: 'Elena Petrova', body: 'The fee of the office is included, I checked.' }],
    end: { state: 'awaiting_approval', reason: 'Decided by the board in spring' },
  },
  {
    by: 'Priya Nair',
    to: 'venue',
    amount: '980.00',
    what: 'Stage and sound for the customer day',
    category: '6500',
    vault: 'events',
    due: 17,
    end: { state: 'awaiting_approval', reason: 'Part of the budget for the customer day' },
  },
  {
    by: 'Hugo Silva',
    to: 'development',
    amount: '2240.00',
    what: 'Accessibility review of the website',
    category: '6300',
    end: { state: 'awaiting_approval', reason: 'The report has been delivered' },
  },
]

const ended: readonly PlannedExpense[] = [
  {
    by: 'Jonas Weber',
    to: 'office',
    amount: '1299.00',
    what: 'Coffee machine for the second floor',
    category: '6400',
    monthsAgo: 2,
    end: { state: 'rejected', reason: 'There is no budget for this before next year.' },
  },
  {
    by: 'Oscar Lindgren',
    to: 'rail',
    amount: '540.00',
    what: 'Upgrade to first class for the partner meeting',
    category: '6200',
    monthsAgo: 1,
    end: { state: 'rejected', reason: 'Our travel rules cover standard class only.' },
  },
  {
    by: 'Ines Moreau',
    to: 'software',
    amount: '450.00',
    what: 'Second licence of the survey tool',
    category: '6100',
    end: { state: 'rejected', reason: 'We have an unused licence: ask Elena for it.' },
  },
  {
    by: 'Chloe Martin',
    to: 'catering',
    amount: '275.00',
    what: 'Lunch for a workshop that was moved online',
    category: '6500',
    vault: 'events',
    end: { state: 'cancelled' },
  },
  {
    by: 'Ben Adeyemi',
    to: 'software',
    amount: '99.00',
    what: 'Trial month of a screen recorder',
    category: '6100',
    monthsAgo: 3,
    end: { state: 'cancelled' },
  },
]

const blocked: readonly PlannedExpense[] = [
  {
    by: 'Mei Tanaka',
    to: 'media',
    amount: '1360.00',
    what: 'Advertisements in the trade magazine',
    category: '6600',
    monthsAgo: 1,
    due: 3,
    remarks: [
      { by: 'Samir Haddad', body: 'I have asked the supplier whether their address has changed.' },
    ],
    end: { state: 'blocked', reason: 'Booked in the media plan' },
  },
  {
    by: 'Priya Nair',
    to: 'media',
    amount: '410.00',
    what: 'Banner on the industry news page',
    category: '6600',
    end: { state: 'blocked', reason: 'Booked in the media plan' },
  },
]

export const openExpenses: readonly PlannedExpense[] = [
  ...drafts,
  ...waitingForReview,
  ...sentBack,
  ...waitingForSignature,
  ...ended,
  ...blocked,
]
