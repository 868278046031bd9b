/**
 * `npm run keys -- rotate` reseals every key in the database under the current KEYSTORE_SECRET, one
 * transaction per key, so it can be interrupted and repeated while the service runs. `npm run keys
 * -- seal` does the same for the MACs under WORKER_SECRET.
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
import { publishSealingKey, webhookSecretName } from '#webhooks/webhook-secrets.ts'
import {
  listSealedSecrets,
  lockSealedSecret,
  updateSealedSecret,
} from '#webhooks/webhooks.store.ts'
import { withContext } from './command.ts'

const USAGE = 'Usage: npm run keys -- rotate, or npm run keys -- seal'
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Keys of one kind: where they are stored, and the name under which each is sealed. */
type KeyStore<Item> = {
  list(afterId: string): Promise<Item[]>
  nameOf(item: Item): string
  lock(tx: Tx, id: string): Promise<Buffer | undefined>
  update(tx: Tx, row: { id: string; reference: Uint8Array }): void
  /** Seals under the current secret; undefined if it already is. */
  reseal(sealed: { name: string; box: Buffer }): Promise<Uint8Array | undefined>
}

type Tally = { resealed: number; current: number; unopenable: string[] }

type Rotation = { ctx: Context; tally: Tally }

async function rotateOne<Item extends { id: string }>(
  { ctx, tally }: Rotation,
  { nameOf, lock, update, reseal }: KeyStore<Item>,
  item: Item,
): Promise<void> {
  const name = nameOf(item)
  await ctx.ownerDb.transaction({}, async (tx) => {
    const box = await lock(tx, item.id)
    if (!box) return
    const reference = await reseal({ name, box }).catch((): 'unopenable' => 'unopenable')
    if (reference === 'unopenable') tally.unopenable.push(name)
    else if (reference === undefined) tally.current += 1
    else {
      update(tx, { id: item.id, reference })
      tally.resealed += 1
    }
  })
}

async function rotateAll<Item extends { id: string }>(
  rotation: Rotation,
  store: KeyStore<Item>,
): Promise<void> {
  let afterId = FIRST
  for (;;) {
    const items = await store.list(afterId)
    for (const item of items) await rotateOne(rotation, store, item)
    const last = items.at(-1)
    if (!last) return
    afterId = last.id
  }
}

async function rotate(ctx: Context): Promise<string> {
  const tally: Tally = { resealed: 0, current: 0, unopenable: [] }
  const rotation = { ctx, tally }
  const keys: MasterKeys = masterKeysOf(ctx.secrets)
  const reseal = async (sealed: { name: string; box: Buffer }) => rewrap(keys, sealed)
  await rotateAll(rotation, {
    list: (afterId) => listSealedWallets(ctx.ownerDb, afterId),
    nameOf: ({ id: walletId, address }) => walletKeyName({ walletId, address }),
    lock: lockWalletReference,
    update: updateWalletReference,
    reseal,
  })
  await rotateAll(rotation, {
    list: (afterId) => listSealedExecutors(ctx.ownerDb, afterId),
    nameOf: (executor) => executorKeyName(executor),
    lock: lockExecutorReference,
    update: updateExecutorReference,
    reseal,
  })
  await rotateAll(rotation, {
    list: (afterId) => listSealedControls(ctx.ownerDb, afterId),
    nameOf: ({ id: controlId, walletId }) => fundingPolicyName({ controlId, walletId }),
    lock: lockControlReference,
    update: updateControlReference,
    reseal,
  })
  await rotateAll(rotation, {
    list: (afterId) => listSealedSecrets(ctx.ownerDb, afterId),
    nameOf: ({ id: secretId, ...webhook }) => webhookSecretName({ ...webhook, secretId }),
    lock: lockSealedSecret,
    update: updateSealedSecret,
    reseal: ({ name, box }) => ctx.webhooks.reseal({ name, sealed: box }),
  })
  await publishSealingKey({ ...ctx, db: ctx.ownerDb })
  const { resealed, current, unopenable } = tally
  const done = `${resealed} resealed, ${current} already under the current secret.`
  if (unopenable.length === 0) return `Every key opens under the current secret: ${done}`
  throw new StartupError(
    [`${unopenable.length} keys can be opened with neither secret; ${done}`, ...unopenable].join(
      '\n',
    ),
  )
}

async function seal(ctx: Context): Promise<string> {
  const { sealed, refused } = await sealExisting(ctx)
  const done = `Sealed ${sealed} reports and payments under the current WORKER_SECRET.`
  if (refused.length === 0) return done
  throw new StartupError(
    [`${done} ${refused.length} verify under neither key and are unchanged:`, ...refused].join(
      '\n',
    ),
  )
}

async function main([action, ...rest]: string[]): Promise<string> {
  const command = action === 'rotate' ? rotate : action === 'seal' ? seal : undefined
  if (!command || rest.length > 0) throw new StartupError(USAGE)
  return withContext(command, { process: 'worker' })
}

await runCommand(() => main(process.argv.slice(2)))
