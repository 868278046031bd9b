import { EXPENSE_STATES } from '@countersign/app-kit/words/states.ts'
import type { MessageDescriptor } from '@lingui/core'
import { STATE_CHOICES, type StateChoice } from './filters.ts'

/** States that are one choice have one word. */
export const wordOfChoice = (choice: StateChoice): MessageDescriptor =>
  EXPENSE_STATES[STATE_CHOICES[choice][0]].word
