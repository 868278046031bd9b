/** The demo organization of a running `npm start`: whether there is one, making it, joining it. */
import { createClient } from '@countersign/client/client.ts'
import type { Address } from 'viem'
import { systemClock } from '#platform/clock.ts'
import { AppError, StartupError } from '#platform/errors.ts'
import { type DemoService, must, openSessionAs } from './demo-client.ts'
import {
  type DemoHistory,
  type DemoPerson,
  type DemoRecord,
  readDemoRecord,
  writeDemoRecord,
} from './demo-record.ts'
import { furnish, type Progress } from './furnish.ts'
import { peopleJoin } from './furnish-calendar.ts'
import { type House, makeOwner } from './furnish-house.ts'
import { ORGANIZATION } from './furnish-people.ts'
import type { PastService } from './past-service.ts'

/** What the application may know. */
type DemoStatus =
  | { state: 'none' }
  | { state: 'furnishing'; chapter: string }
  | { state: 'failed'; message: string }
  | { state: 'ready'; organizationId: string; name: string; history: DemoHistory }

export type DemoHost = {
  status(): DemoStatus
  people(): readonly DemoPerson[]
  /** Once at a time, and only once: later callers get the same organization. */
  furnish(report?: Progress): Promise<DemoRecord>
  /** Makes somebody an owner of it: an owner invites them, and they accept. */
  join(person: { accessToken: string; accountId: string }): Promise<{ organizationId: string }>
  /** Undefined for people of no demo, and for those without a wallet. */
  keyOf(accountId: string): string | undefined
}

export type DemoHostOptions = {
  folder: string
  /** Known once it listens. */
  helper(): string
  operator: string
  /** Undefined until the service is up. */
  about(): DemoService | undefined
  /** Undefined with a database of somebody's own, whose clock is not ours to set. */
  past(): PastService | undefined
  blacklist(address: Address): Promise<unknown>
}

const recordOf = ({ path, residents }: House, history: DemoHistory): DemoRecord => ({
  organizationId: path.organizationId,
  name: ORGANIZATION,
  history,
  people: residents.map(({ subject, name, email, role, person, key }) => ({
    subject,
    name,
    email,
    role,
    accountId: person.accountId,
    ...(key && { privateKey: key }),
  })),
})

export async function openDemoHost(options: DemoHostOptions): Promise<DemoHost> {
  const { folder, operator, blacklist } = options
  let record = await readDemoRecord(folder)
  let running: Promise<DemoRecord> | undefined
  let chapter = ''
  let problem: string | undefined

  const requireAbout = (): DemoService => {
    const about = options.about()
    if (about) return about
    throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
  }

  const run = async (report: Progress | undefined): Promise<DemoRecord> => {
    const note: Progress = (next) => {
      chapter = next
      report?.(next)
    }
    const place = { helper: options.helper(), about: requireAbout() }
    const start = peopleJoin(systemClock.now())
    const past = options.past()
    const made =
      past && (await past.reaches(start))
        ? await past.during(start, async (earlier) =>
            recordOf(await furnish({ ...earlier, operator, blacklist }, note), 'months'),
          )
        : recordOf(
            await furnish({ ...place, operator, blacklist, calendar: undefined }, note),
            'today',
          )
    await writeDemoRecord(folder, made)
    record = made
    return made
  }

  const status = (): DemoStatus => {
    if (record) {
      const { organizationId, name, history = 'today' } = record
      return { state: 'ready', organizationId, name, history }
    }
    if (running) return { state: 'furnishing', chapter }
    return problem === undefined ? { state: 'none' } : { state: 'failed', message: problem }
  }

  return {
    status,
    people: () => record?.people ?? [],
    furnish(report) {
      if (record) return Promise.resolve(record)
      problem = undefined
      running ??= run(report)
        .catch((error: unknown) => {
          problem = error instanceof StartupError ? error.message : 'It failed. See the log.'
          throw error
        })
        .finally(() => {
          running = undefined
        })
      return running
    },
    join: (person) => joinDemo({ helper: options.helper(), about: requireAbout(), record }, person),
    keyOf: (accountId) => record?.people.find((one) => one.accountId === accountId)?.privateKey,
  }
}

async function joinDemo(
  { helper, about, record }: { helper: string; about: DemoService; record: DemoRecord | undefined },
  { accessToken, accountId }: { accessToken: string; accountId: string },
): Promise<{ organizationId: string }> {
  const founder = record?.people[0]
  if (!record || !founder) {
    throw new AppError('not_found', { message: 'There is no demo organization yet.' })
  }
  const { organizationId } = record
  const path = { organizationId }
  const guest = createClient({ baseUrl: about.api, token: accessToken })
  const { memberships } = must(await guest.call('getAccount'))
  const isMember = memberships.some(
    (one) => one.organizationId === organizationId && one.status === 'active',
  )
  if (isMember) return path
  const { subject, name, email } = founder
  const signedIn = await openSessionAs({ helper, api: about.api }, { subject, name, email })
  const owner = signedIn.client
  const body = { role: 'manager' as const }
  const { inviteToken } = must(await owner.call('createInvitation', { path, body }))
  must(await guest.call('acceptInvitation', { path: { token: inviteToken } }))
  await makeOwner({ path, owner, accountId })
  return path
}
