/** What the furnishing of the demo needs from outside. */
import type { Address } from 'viem'
import { systemClock } from '#platform/clock.ts'
import type { DemoService } from './demo-client.ts'
import type { Calendar } from './past-service.ts'

/** How to reach the service, and what only the development chain can do. */
export type Surroundings = {
  helper: string
  about: DemoService
  /** The subject of an operator, who answers support cases. */
  operator: string
  /** As the token's issuer may. */
  blacklist(address: Address): Promise<unknown>
  /** Undefined if everything happens today. */
  calendar: Calendar | undefined
}

export const nowIn = ({ calendar }: Surroundings): Date => (calendar ?? systemClock).now()

/** Where people of the demo get tokens, and when. */
export const placesOf = (surroundings: Surroundings) => ({
  helper: surroundings.helper,
  api: surroundings.about.api,
  now: () => nowIn(surroundings),
})
