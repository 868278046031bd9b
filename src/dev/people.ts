/** The people who have signed in with this data folder, for the list on the sign-in page. */
import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Realm } from '#platform/config/config.ts'

export type DevPerson = {
  subject: string
  name: string
  email: string
  /** Of people of the demo organization. */
  role?: string
}

export type DevPeople = {
  /** The demo's people, then the others; of these the one who signed in last comes first. */
  list(): readonly DevPerson[]
  find(subject: string): DevPerson | undefined
  /** Finds the person of that name or adds one, and puts them first. */
  meet(person: { name: string; email?: string }): Promise<DevPerson>
  meetAgain(subject: string): Promise<DevPerson | undefined>
}

const PEOPLE_MAX = 50
const NAME_MAX = 100

/** `FIRST_OPERATOR` of `npm start`. */
const OPERATOR: DevPerson = {
  subject: 'operator',
  name: 'Operator',
  email: 'operator@countersign.example',
}

/** Subjects are printable ASCII. */
const subjectOf = (name: string): string => {
  const plain = name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  const slug = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return slug.replace(/^-+|-+$/g, '') || `person-${randomUUID().slice(0, 8)}`
}

const isPerson = (value: unknown): value is DevPerson => {
  const { subject, name, email } = (value ?? {}) as Record<string, unknown>
  return [subject, name, email].every((part) => typeof part === 'string')
}

async function read(path: string): Promise<DevPerson[]> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'))
    return Array.isArray(kept) ? kept.filter(isPerson) : []
  } catch {
    return []
  }
}

export async function openPeople(options: {
  folder: string
  realm: Realm
  /** The people of the demo organization, who are kept elsewhere. */
  demo?: () => readonly DevPerson[]
}): Promise<DevPeople> {
  const { folder, realm, demo = () => [] } = options
  const path = join(folder, `people-${realm}.json`)
  let people = await read(path)
  if (people.length === 0 && realm === 'admin') people = [OPERATOR]

  const putFirst = async (person: DevPerson): Promise<DevPerson> => {
    const others = people.filter(({ subject }) => subject !== person.subject)
    people = [person, ...others].slice(0, PEOPLE_MAX)
    const draft = `${path}.${randomUUID()}.tmp`
    await writeFile(draft, `${JSON.stringify(people, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, path)
    return person
  }
  const list = () => [...demo(), ...people]
  const find = (subject: string) => list().find((person) => person.subject === subject)
  const isOfDemo = ({ subject }: DevPerson) => demo().some((one) => one.subject === subject)

  return {
    list,
    find,
    meet: async ({ name, email }) => {
      const trimmed = name.trim().slice(0, NAME_MAX)
      const subject = subjectOf(trimmed)
      const known = find(subject)
      const colleague = demo().find((one) => subjectOf(one.name) === subject)
      if (!known && colleague) return colleague
      const address = email?.trim() || known?.email || `${subject}@countersign.example`
      return putFirst({ subject, name: known?.name ?? trimmed, email: address })
    },
    async meetAgain(subject) {
      const known = find(subject)
      return known && !isOfDemo(known) ? putFirst(known) : known
    },
  }
}
