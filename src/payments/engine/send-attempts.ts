/** Sends bytes that are on record, and records what the nodes said. */
import type { LanePayment, Pass, SendAnswer, Sending, Written } from './lane.ts'
import { keepLease } from './lease.ts'

export async function sendAttempts(
  { world, lease }: Pick<Pass, 'world' | 'lease'>,
  sendings: readonly Sending[],
): Promise<Written> {
  if (sendings.length === 0) return 'done'
  if (!(await keepLease(world, lease))) return 'stale'
  // Begun in the order of their nonces; none waits for a slow answer to another.
  const answers = await Promise.all(
    sendings.map(({ attempt }) => world.chain.send({ raw: attempt.raw })),
  )
  const sends = sendings.map((sending, index) => {
    return { ...sending, event: eventOf(sending.payment, answers[index] ?? 'lost') }
  })
  return world.store.recordSends({ fence: lease.fence, sends })
}

/** Rule 8: no answer is a failure. One that says nothing for certain leaves things as they are. */
function eventOf({ state }: LanePayment, answer: SendAnswer): 'accept' | 'lose' | null {
  if (answer === 'accepted' && state !== 'broadcast') return 'accept'
  if (answer === 'nonce_too_low' && state === 'submitting') return 'lose'
  return null
}
