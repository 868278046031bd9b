/** The service itself, as `npm run api` starts it, in a process of its own that can be measured. */
import { compose } from '#compose.ts'
import { startApi } from '#main.ts'
import { readConfig, readEnvironment } from '#platform/config/config.ts'
import { startTracing } from '#tracing.ts'
import { answerUsage } from './live-wire.ts'

const config = readConfig(readEnvironment())
await startTracing(config)
const ctx = compose(config)
const { url } = await startApi(ctx)
answerUsage(async () => {
  const text = await ctx.metrics.registry.metrics()
  const cut = /^countersign_live_streams_ended_total\{reason="slow"\} (\d+)/m.exec(text)?.[1]
  return Number(cut ?? 0)
})
process.send?.({ port: Number(new URL(url).port) })
