/** Where the development provider keeps sign-ins and refresh tokens: in memory, until it stops. */

type Payload = Record<string, unknown> & { grantId?: string; uid?: string; consumed?: number }

const KEPT_MAX = 10_000

/** One store for all models of a provider, as its constructor wants: a class by model name. */
export function createMemoryStore() {
  const kept = new Map<string, { payload: Payload; until: number }>()
  const now = () => performance.now() / 1000

  const read = (key: string): Payload | undefined => {
    const found = kept.get(key)
    if (found && found.until > now()) return found.payload
    kept.delete(key)
    return undefined
  }
  const makeRoom = () => {
    for (const [key, { until }] of kept) if (until <= now()) kept.delete(key)
    for (const key of kept.keys()) {
      if (kept.size <= KEPT_MAX) break
      kept.delete(key)
    }
  }

  return class MemoryStore {
    readonly model: string

    constructor(model: string) {
      this.model = model
    }

    async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
      kept.set(`${this.model}:${id}`, { payload, until: now() + (expiresIn ?? 1e9) })
      if (kept.size > KEPT_MAX) makeRoom()
    }

    async find(id: string): Promise<Payload | undefined> {
      return read(`${this.model}:${id}`)
    }

    async findByUid(uid: string): Promise<Payload | undefined> {
      for (const [key, { payload }] of kept) {
        if (key.startsWith(`${this.model}:`) && payload.uid === uid) return read(key)
      }
      return undefined
    }

    async findByUserCode(): Promise<undefined> {
      return undefined
    }

    async consume(id: string): Promise<void> {
      const payload = read(`${this.model}:${id}`)
      if (payload) payload.consumed = Math.max(1, Math.floor(now()))
    }

    async destroy(id: string): Promise<void> {
      kept.delete(`${this.model}:${id}`)
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key)
    }
  }
}
