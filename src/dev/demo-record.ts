/**
 * What is kept of the demo organization in the data folder: which one it is, its people, and the
 * keys of their wallets. The file is written when the organization is complete, so an interrupted
 * attempt leaves none.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, syncFolder } from './data-folder.ts'
import type { DemoRole } from './furnish-people.ts'

export type DemoPerson = {
  subject: string
  name: string
  email: string
  role: DemoRole
  accountId: string
  /** Of the person's wallet, if they have one. It holds test coins only. */
  privateKey?: string
}

/** `today`: the chain had been used already, and time on a chain does not go back. */
export type DemoHistory = 'months' | 'today'

export type DemoRecord = {
  organizationId: string
  name: string
  people: DemoPerson[]
  /** Missing in folders of earlier versions, whose demo is of one day. */
  history?: DemoHistory
}

const folderOf = (folder: string): string => join(folder, 'demo')
const fileOf = (folder: string): string => join(folderOf(folder), 'organization.json')

export async function readDemoRecord(folder: string): Promise<DemoRecord | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(folder), 'utf8')) as DemoRecord
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

export async function writeDemoRecord(folder: string, record: DemoRecord): Promise<void> {
  await mkdir(folderOf(folder), { recursive: true, mode: 0o700 })
  const draft = `${fileOf(folder)}.tmp`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(record, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, fileOf(folder))
  await syncFolder({ folder: folderOf(folder) })
}
