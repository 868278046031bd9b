/**
 * `npm run keys -- rotate`: seals every key that is kept here under the current KEYSTORE_SECRET.
 * One key, one transaction: it may be interrupted and run again while the service runs.
 * `npm run keys -- seal`: the same for the MACs that workers make under WORKER_SECRET.
 */
import { type MasterKeys, rewrap } from '#adapters/local/keystore.ts'
import { executorKeyName } from '#adapters/local/local-executor.ts'
import { fundingPolicyName } from '#adapters/local/local-funding.ts'
import { walletKeyName } from '#adapters/local/local-wallets.ts'
import { sealExisting } from '#analysis/seal-existing.ts'
import type { Context } from '#context.ts'
import {
  listSealedExecutors,
  lockExecutorReference,
  updateExecutorReference,
} from '#executor/executor.store.ts'
import {
  listSealedControls,
  lockControlReference,
  updateControlReference,
} from '#funding/controls.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { StartupError } from '#platform/errors.ts'
import { masterKeysOf } from '#platform/secrets.ts'
import { runCommand } from '#platform/terminal.ts'
import {
  listSealedWallets,
  lockWalletReference,
  updateWalletReference,
} from '#wallets/server-wallets.store.ts'
import { withContext } from './command.ts'

const USAGE = 'Usage: npm run keys -- rotate, or npm run keys -- seal'
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Keys of one kind: where they are, and under which name each is sealed. */
type Holding<Item> = {
  list(afterId: string): Promise<Item[]>
  nameOf(item: Item): string
  lock(tx: Tx, id: string): Promise<Buffer | undefined>
  update(tx: Tx, row: { id: string; reference: Uint8Array }): Promise<void>
}

type Tally = { anew: number; before: number; shut: string[] }

type Rotation = { ctx: Context; keys: MasterKeys; tally: Tally }

async function rotateOne<Item extends { id: string }>(
  { ctx, keys, tally }: Rotation,
  { nameOf, lock, update }: Holding<Item>,
  item: Item,
): Promise<void> {
  const name = nameOf(item)
  await ctx.ownerDb.transaction({}, async (tx) => {
    const box = await lock(tx, item.id)
    if (!box) return
    const reference = openable(() => rewrap(keys, { name, box }))
    if (reference === 'shut') tally.shut.push(name)
    else if (reference === undefined) tally.before += 1
    else {
      await update(tx, { id: item.id, reference })
      tally.anew += 1
    }
  })
}

const openable = <T>(work: () => T): T | 'shut' => {
  try {
    return work()
  } catch {
    return 'shut'
  }
}

async function rotateAll<Item extends { id: string }>(
  rotation: Rotation,
  holding: Holding<Item>,
): Promise<void> {
  let afterId = FIRST
  for (;;) {
    const items = await holding.list(afterId)
    for (const item of items) await rotateOne(rotation, holding, item)
    const last = items.at(-1)
    if (!last) return
    afterId = last.id
  }
}

async function rotate(ctx: Context): Promise<string> {
  const tally: Tally = { anew: 0, before: 0, shut: [] }
  const rotation = { ctx, keys: masterKeysOf(ctx.secrets), tally }
  await rotateAll(rotation, {
    list: (afterId) => listSealedWallets(ctx.ownerDb, afterId),
    nameOf: ({ id: walletId, address }) => walletKeyName({ walletId, address }),
    lock: lockWalletReference,
    update: updateWalletReference,
  })
  await rotateAll(rotation, {
    list: (afterId) => listSealedExecutors(ctx.ownerDb, afterId),
    nameOf: (executor) => executorKeyName(executor),
    lock: lockExecutorReference,
    update: updateExecutorReference,
  })
  await rotateAll(rotation, {
    list: (afterId) => listSealedControls(ctx.ownerDb, afterId),
    nameOf: ({ id: controlId, walletId }) => fundingPolicyName({ controlId, walletId }),
    lock: lockControlReference,
    update: updateControlReference,
  })
  const { anew, before, shut } = tally
  const done = `${anew} sealed anew, ${before} were under the current secret already.`
  if (shut.length === 0) return `Every key opens under the current secret: ${done}`
  throw new StartupError(
    [`${shut.length} keys open under neither secret; ${done}`, ...shut].join('\n'),
  )
}

async function seal(ctx: Context): Promise<string> {
  const { sealed, refused } = await sealExisting(ctx)
  const done = `Sealed ${sealed} reports and payments under the current WORKER_SECRET.`
  if (refused.length === 0) return done
  throw new StartupError(
    [
      `${done} ${refused.length} verify under neither key and were left unchanged:`,
      ...refused,
    ].join('\n'),
  )
}

async function main([action, ...rest]: string[]): Promise<string> {
  const command = action === 'rotate' ? rotate : action === 'seal' ? seal : undefined
  if (!command || rest.length > 0) throw new StartupError(USAGE)
  return withContext(command, { process: 'worker' })
}

await runCommand(() => main(process.argv.slice(2)))
