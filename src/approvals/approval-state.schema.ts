import { statesOf } from '#platform/machine.ts'
import { oneOf } from '#platform/values.ts'
import { approvalMachine } from './approval.machine.ts'

export const approvalState = oneOf(statesOf(approvalMachine), {
  description:
    '`prepared`: not signed yet. `signed`: its payment is reserved. `consumed`: the vault has ' +
    'paid. `expired`: past its deadline. `superseded`: a newer approval, revision or policy ' +
    "ended it. `invalidated`: the approver or the vault's owner ended it on the chain.",
})
