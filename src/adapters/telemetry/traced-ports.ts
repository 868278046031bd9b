/** A span for each call to a provider, named after port and method. Only while traces are on. */
import type { Tracer } from '#platform/tracing.ts'
import type { Analyst } from '#ports/analyst.ts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import type { Mailer } from '#ports/mailer.ts'
import type { PushService } from '#ports/push-service.ts'
import type { WalletProvider } from '#ports/wallet-provider.ts'
import type { WebhookSender } from '#ports/webhook-sender.ts'

/** The chain is not among them: its transport makes a span of every request to a node. */
type Providers = {
  executor: ExecutorProvider
  walletProvider: WalletProvider | undefined
  fundingProvider: FundingProvider | undefined
  analyst: Analyst | undefined
  push: PushService | undefined
  mailer: Mailer | undefined
  webhooks: WebhookSender
}

type Method = (...args: unknown[]) => unknown

type AtOnce<Port> = Port extends object
  ? {
      [Name in keyof Port]-?: Port[Name] extends (...args: never[]) => infer Answer
        ? Answer extends Promise<unknown>
          ? never
          : Name
        : never
    }[keyof Port]
  : never

/** These return no promise: they call nobody, and get no span. The type finds new ones. */
const AT_ONCE: Record<AtOnce<Providers[keyof Providers]>, true> = {
  describeExport: true,
  signerOf: true,
}

function traced<Port extends object>(name: string, port: Port, tracer: Tracer): Port {
  const methods = new Map<string, Method>()
  const tracedMethod = (key: string, method: Method): Method => {
    const known = methods.get(key)
    if (known) return known
    const span = { name: `provider ${name}.${key}`, kind: 'client' } as const
    const made: Method = Object.hasOwn(AT_ONCE, key)
      ? (...args) => method.apply(port, args)
      : (...args) => tracer.inside(span, async () => method.apply(port, args))
    methods.set(key, made)
    return made
  }
  return new Proxy(port, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver)
      if (typeof value !== 'function' || typeof key !== 'string') return value
      return tracedMethod(key, value as Method)
    },
  })
}

export const tracedPorts = (ports: Providers, tracer: Tracer): Providers => ({
  executor: traced('executor', ports.executor, tracer),
  walletProvider: ports.walletProvider && traced('wallets', ports.walletProvider, tracer),
  fundingProvider: ports.fundingProvider && traced('funding', ports.fundingProvider, tracer),
  analyst: ports.analyst && traced('analyst', ports.analyst, tracer),
  push: ports.push && traced('push', ports.push, tracer),
  mailer: ports.mailer && traced('email', ports.mailer, tracer),
  webhooks: traced('webhooks', ports.webhooks, tracer),
})
