/** Switches traces on, if they are configured. The exporter is loaded only then. */
import type { ProcessKind } from '#platform/config/process.ts'
import type { TracingConfig } from '#platform/config/tracing.ts'
import { useTracer } from '#platform/tracing.ts'

export type Tracing = { stop(): Promise<void> }

type Traced = {
  tracing: TracingConfig | undefined
  process: ProcessKind
  version: string
  environment: string
}

/** Call it before `compose`: parts that are built earlier are not traced. */
export async function startTracing(config: Traced): Promise<Tracing> {
  const { tracing } = config
  if (!tracing) return { stop: async () => {} }
  const [{ createOtlpExporter }, { createOtlpTracer }] = await Promise.all([
    import('#adapters/otlp/otlp-exporter.ts'),
    import('#adapters/otlp/otlp-tracer.ts'),
  ])
  const exporter = createOtlpExporter({
    url: tracing.url,
    headers: tracing.headers,
    resource: {
      'service.name': `countersign-${config.process}`,
      'service.version': config.version,
      'deployment.environment.name': config.environment,
    },
  })
  useTracer(createOtlpTracer({ exporter, sampleRatio: tracing.sampleRatio }))
  return {
    async stop() {
      useTracer(undefined)
      await exporter.stop()
    },
  }
}
