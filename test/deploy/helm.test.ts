/**
 * The Helm chart: every container gets a configuration that it accepts, and the manifests fit
 * together. `npm run chart` compares them with what Helm itself renders.
 */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { CHART, defaults, EXAMPLE, type Manifest, renderChart } from './chart.ts'
import { fillIn, read, sourceOf, unknownIn, type Variables, variablesIn } from './deployed.ts'

const manifests = renderChart(EXAMPLE)

const find = (kind: string, name: string): Manifest =>
  manifests.find(({ kind: k, metadata }) => k === kind && metadata.name === name)

const pods: Manifest[] = manifests
  .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  .map(({ spec }) => spec.template.spec)
const containers: Manifest[] = pods.flatMap(({ containers: all, initContainers = [] }) => [
  ...initContainers,
  ...all,
])

/** The files that docs/OPERATIONS.md makes the secrets from. */
const exampleOf = (secret: string): Variables => {
  const name = secret.replace('countersign-', '')
  const path = name === 'service' ? 'deploy.env' : `deploy/systemd/env/${name}.env`
  return variablesIn(read(`${path}.example`))
}

const ofImage = Object.fromEntries(
  (/^ENV (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '')
    .split(' ')
    .map((assignment) => assignment.split('=')),
)

/** `env` wins over `envFrom`. */
function environmentOf({ env = [], envFrom = [] }: Manifest): Variables {
  const fromSecrets = envFrom.map(({ secretRef }: Manifest) => exampleOf(secretRef.name))
  const own = env.map(({ name, value }: Manifest) => [name, value])
  return fillIn({ ...ofImage, ...Object.assign({}, ...fromSecrets), ...Object.fromEntries(own) })
}

const named = (name: string): Manifest => containers.find((container) => container.name === name)
const portsOf = ({ ports }: Manifest): Record<string, number> =>
  Object.fromEntries(ports.map(({ name, containerPort }: Manifest) => [name, containerPort]))

describe('the containers', () => {
  test.each(containers.map((container) => [container.name, container] as const))(
    '%s run the image with few rights and variables that the service reads',
    (_name, container) => {
      expect(container.image).toBe('registry.example/countersign:1.2.3')
      expect(existsSync(sourceOf(container.command.at(-1)))).toBe(true)
      expect(unknownIn(environmentOf(container))).toEqual([])
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    },
  )

  test('are those of every process', () => {
    const names = ['api', 'web', 'admin-web', 'migrate', 'logins', 'worker']
    expect(containers.map(({ name }) => name)).toEqual(names)
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
    }
  })

  test('accept their configuration, at the ports that they name', () => {
    const api = readConfig(environmentOf(named('api')), { process: 'api' })
    const worker = readConfig(environmentOf(named('worker')), { process: 'worker' })
    const web = readWebConfig(environmentOf(named('web')))
    const admin = readWebConfig(environmentOf(named('admin-web')))
    expect(portsOf(named('api'))).toEqual({ api: api.port, 'metrics-api': api.metricsPort })
    expect(portsOf(named('worker'))).toEqual({ 'metrics-worker': worker.metricsPort })
    expect(portsOf(named('web'))).toEqual({ web: web.port, 'metrics-web': web.metricsPort })
    expect(portsOf(named('admin-web'))).toEqual({
      'admin-web': admin.port,
      'metrics-admin': admin.metricsPort,
    })
    // The containers of a pod share its network.
    expect([web.apiUrl, admin.apiUrl]).toEqual(Array(2).fill(`http://127.0.0.1:${api.port}`))
    expect([web.realm, web.origin]).toEqual(['consumer', 'https://app.example'])
    expect([admin.realm, admin.origin]).toEqual(['admin', 'https://admin.example'])
    for (const { trustedProxies, drainMs } of [api, web, admin]) {
      expect([trustedProxies, drainMs]).toEqual([1, 8_000])
    }
  })

  test('report the version of the image', () => {
    const versions = [
      ...[named('api'), named('worker')].map((container) => {
        const process = container.name
        return readConfig(environmentOf(container), { process }).version
      }),
      ...[named('web'), named('admin-web')].map((one) => readWebConfig(environmentOf(one)).version),
    ]
    expect(versions).toEqual(Array(4).fill('1.2.3'))
  })

  test('are probed at ports that they have', () => {
    for (const { readinessProbe, livenessProbe, startupProbe, ...container } of containers) {
      const probes = [readinessProbe, livenessProbe, startupProbe].filter(Boolean)
      for (const { httpGet } of probes) expect(portsOf(container)).toHaveProperty(httpGet.port)
    }
  })
})

describe('the manifests', () => {
  const service = find('Service', 'countersign-app')
  const ingress = find('Ingress', 'countersign')

  test('select the pods that they mean', () => {
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    expect(deployments).toHaveLength(2)
    for (const { spec, metadata } of deployments) {
      const { labels } = spec.template.metadata
      expect(spec.selector.matchLabels).toEqual(labels)
      expect(find('PodDisruptionBudget', metadata.name).spec.selector.matchLabels).toEqual(labels)
    }
    const { labels } = find('Deployment', 'countersign-app').spec.template.metadata
    expect(service.spec.selector).toEqual(labels)
  })

  test('lead each name to its own process', () => {
    const targets = Object.fromEntries(
      service.spec.ports.map(({ name, targetPort }: Manifest) => [name, targetPort]),
    )
    const led = ingress.spec.rules.map(({ host, http }: Manifest) => [
      host,
      targets[http.paths[0].backend.service.port.name],
    ])
    expect(Object.fromEntries(led)).toEqual({
      'app.example': 'web',
      'admin.example': 'admin-web',
      'api.example': 'api',
    })
    expect(ingress.spec.tls[0].hosts).toEqual(led.map(([host]: string[]) => host))
  })

  test('migrate before the new version starts', () => {
    const { annotations } = find('Job', 'countersign-migrate').metadata
    expect(annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
  })

  test.each(['image', 'hosts'])('are not rendered without %s', (name) => {
    expect(() => renderChart({ ...EXAMPLE, [name]: defaults()[name] ?? {} })).toThrow(/^Set /)
  })

  test('name the version of the service', () => {
    const { version } = JSON.parse(read('package.json'))
    expect(read(`${CHART}/Chart.yaml`)).toContain(`appVersion: ${version}\n`)
  })
})
