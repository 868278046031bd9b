/**
 * Lets an executor's lane send activations of policies besides its payments: same lease, same
 * nonces, same rules of replacement and finality. To the engine, an activation is a payment without
 * a log to expect: the receipt of an attempt is its proof.
 */
import type {
  DelegationStore,
  FencingToken,
  HoldStore,
  Lane,
  LanePayment,
  LaneStore,
  WriteOutcome,
} from '#payments/engine/lane.ts'
import type { LaneStoreDeps } from '#payments/lane-store/fenced-write.ts'
import {
  type ActivationAttempt,
  type ActivationRow,
  listActivationAttempts,
  listActivationsOf,
} from './activations.store.ts'
import {
  blockInLane,
  confirmActivations,
  failInLane,
  findActivationCall,
  moveInLane,
  postponeInLane,
  recordActivationSends,
  replaceActivation,
  writeActivations,
} from './record-activations.ts'

type ExecutorStore = LaneStore & HoldStore & DelegationStore

const isActivation = ({ expected }: LanePayment): boolean => expected === null

/** Items about payments, and items about activations. */
function split<Item extends { payment: LanePayment }>(items: readonly Item[]) {
  return {
    payments: items.filter(({ payment }) => !isActivation(payment)),
    activations: items.filter(({ payment }) => isActivation(payment)),
  }
}

export function withActivations(store: ExecutorStore, deps: LaneStoreDeps): ExecutorStore {
  const either =
    <Input extends { payment: LanePayment }, T>(
      ofPayment: (input: Input) => Promise<T>,
      ofActivation: (input: Input) => Promise<T>,
    ) =>
    (input: Input): Promise<T> =>
      isActivation(input.payment) ? ofActivation(input) : ofPayment(input)

  return {
    ...store,
    async loadLane(input) {
      const lane = await store.loadLane(input)
      return lane === 'stale' ? 'stale' : addActivations(deps, { lane, token: input.token })
    },
    async writeAhead(input) {
      const asked = split(input.payments.map((payment) => ({ payment })))
      const activations = asked.activations.map(({ payment }) => payment)
      const payments = asked.payments.map(({ payment }) => payment)
      const first = await writeActivations(deps, { ...input, payments: activations })
      if (first === 'stale' || payments.length === 0) return first
      const rest = await store.writeAhead({ ...input, payments })
      return rest === 'stale' ? 'stale' : [...first, ...rest]
    },
    writeReplacement: either(store.writeReplacement, (input) => replaceActivation(deps, input)),
    async recordSends({ token, sends }) {
      const { payments, activations } = split(sends)
      return both(
        () => recordActivationSends(deps, { token, sends: activations }),
        () => (payments.length === 0 ? 'done' : store.recordSends({ token, sends: payments })),
      )
    },
    postpone: either(store.postpone, (input) => postponeInLane(deps, input)),
    lose: either(store.lose, (input) => moveInLane(deps, input, 'lose')),
    block: either(store.block, (input) => blockInLane(deps, input)),
    reconcile: either(store.reconcile, (input) => moveInLane(deps, input, 'reconcile')),
    fail: either(store.fail, (input) => failInLane(deps, input)),
    async confirm({ confirmations, ...input }) {
      const { payments, activations } = split(confirmations)
      return both(
        () => confirmActivations(deps, { ...input, confirmations: activations }),
        () =>
          payments.length === 0 ? 'done' : store.confirm({ ...input, confirmations: payments }),
      )
    },
  }
}

async function both(
  first: () => Promise<WriteOutcome>,
  second: () => Promise<WriteOutcome> | WriteOutcome,
): Promise<WriteOutcome> {
  return (await first()) === 'stale' ? 'stale' : second()
}

async function addActivations(
  deps: LaneStoreDeps,
  { lane, token: { laneId } }: { lane: Lane; token: FencingToken },
): Promise<Lane> {
  const { ctx, organizationId } = deps
  const found = await ctx.db.transaction({ organizationId }, async (tx) => {
    const rows = await listActivationsOf(tx, { organizationId, laneId })
    if (rows.length === 0) return undefined
    const activationIds = rows.map(({ id }) => id)
    const attempts = await listActivationAttempts(tx, { organizationId, activationIds })
    const queued: LanePayment[] = []
    for (const row of rows.filter(({ state, dueInMs }) => state === 'queued' && dueInMs === null)) {
      // A delegated executor is asked for payments only (decision 256).
      const call = deps.sign && (await findActivationCall(deps, tx, row))
      if (call) queued.push(toLanePayment(row, { call, attempts: [] }))
    }
    return { rows, attempts, queued }
  })
  if (!found) return lane
  const { rows, attempts, queued } = found
  const unsettled = await Promise.all(
    rows.filter(({ state }) => state !== 'queued').map((row) => asSigned(deps, { row, attempts })),
  )
  const waits = rows.flatMap(({ state, dueInMs }) => (state === 'queued' && dueInMs ? dueInMs : []))
  const dueInMs = [lane.queuedDueInMs, ...waits].filter((ms) => ms !== null)
  return {
    ...lane,
    unsettled: [...lane.unsettled, ...unsettled.flat()].toSorted((a, b) => nonceOf(a) - nonceOf(b)),
    // First, because payments of the policy that it replaces would be refused soon.
    queued: [...queued, ...lane.queued],
    queuedDueInMs: dueInMs.length > 0 ? Math.min(...dueInMs) : null,
  }
}

const nonceOf = ({ attempts: [first] }: LanePayment): number =>
  first?.kind === 'signed' ? first.nonce : 0

/** The call is read from the signed bytes: the proposal may have ended or be gone. */
async function asSigned(
  { ctx }: LaneStoreDeps,
  { row, attempts }: { row: ActivationRow; attempts: readonly ActivationAttempt[] },
): Promise<LanePayment[]> {
  const own = attempts.filter(({ activationId }) => activationId === row.id)
  const last = own.at(-1)
  if (!last) return []
  const { call } = await ctx.chain.readSigned(last.raw)
  return [toLanePayment(row, { call, attempts: own })]
}

const toLanePayment = (
  { id, epoch, state, stateSinceMs }: ActivationRow,
  { call, attempts }: { call: LanePayment['call']; attempts: readonly ActivationAttempt[] },
): LanePayment => ({
  id,
  epoch,
  // Cancelled ones are not loaded, and all others are states of a payment.
  state: state === 'cancelled' ? 'failed' : state,
  stateSinceMs,
  call,
  expected: null,
  // A nonce that was used elsewhere needs no person: the vault activates a proposal at most once.
  isGivenUp: true,
  attempts: attempts.map(({ activationId: _id, maxFeePerGas, maxPriorityFeePerGas, ...one }) => ({
    kind: 'signed',
    ...one,
    fees: { maxFeePerGas, maxPriorityFeePerGas },
  })),
})
