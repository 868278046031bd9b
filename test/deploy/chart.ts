/**
 * Renders the templates of the Helm chart as far as they use the language: values, `required`,
 * `quote`, and `toYaml … | nindent`. Anything else is an error, so that the chart stays simple.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { ROOT, read } from './deployed.ts'

export const CHART = 'deploy/helm/countersign'

type Values = { [name: string]: Values | string | number }

const at = (values: Values, path: string): Values[string] =>
  path.split('.').reduce<Values[string]>((value, name) => {
    const found = (value as Values)[name]
    if (found === undefined) throw new Error(`No value ${path}`)
    return found
  }, values)

const TAG = /\{\{(-?) (.+?) \}\}/g
const LOOK_UP = /^(?:required "([^"]+)" )?\.(Values|Release)\.([\w.]+)( \| quote)?$/
const TO_YAML = /^toYaml \.Values\.([\w.]+) \| nindent (\d+)$/

const indented = (value: unknown, spaces: number): string =>
  `\n${stringify(value).trimEnd()}`.replaceAll('\n', `\n${' '.repeat(spaces)}`)

function render(text: string, values: Values): string {
  // `{{-` removes the space before it.
  return text.replaceAll(/\s+(?=\{\{-)/g, '').replaceAll(TAG, (all, _trim, tag: string) => {
    const [, whole, spaces] = TO_YAML.exec(tag) ?? []
    if (whole !== undefined) return indented(at(values, whole), Number(spaces))
    const [, problem, root, path = '', quoted] = LOOK_UP.exec(tag) ?? []
    if (root === undefined) throw new Error(`Not understood: ${all}`)
    const value = root === 'Release' ? 'countersign' : String(at(values, path))
    if (problem !== undefined && value === '') throw new Error(problem)
    return quoted ? JSON.stringify(value) : value
  })
}

export const defaults = (): Values => parse(read(`${CHART}/values.yaml`))

/** What an operator has to set. */
export const EXAMPLE: Values = {
  ...defaults(),
  image: { repository: 'registry.example/countersign', tag: '1.2.3', pullPolicy: 'Always' },
  hosts: { consumer: 'app.example', admin: 'admin.example', api: 'api.example' },
}

// biome-ignore lint/suspicious/noExplicitAny: a manifest has whatever its kind has
export type Manifest = any

export const renderChart = (values: Values): Manifest[] =>
  readdirSync(join(ROOT, CHART, 'templates'))
    .sort()
    .flatMap((name) => parseAllDocuments(render(read(`${CHART}/templates/${name}`), values)))
    .map((document) => {
      const [problem] = document.errors ?? []
      if (problem) throw problem
      return document.toJS()
    })
