/** What `npm start` prints once everything runs. */
import { say } from '#platform/terminal.ts'
import type { DemoPerson } from './demo-record.ts'

/** One person of each role: an owner, a manager who signs, an employee. */
function demoLine(people: readonly DemoPerson[]): string {
  const ofRole = (role: string) =>
    people.find((one) => one.role === role && (role === 'employee' || one.privateKey))
  const named = ['owner', 'manager', 'employee'].flatMap((role) => ofRole(role) ?? [])
  if (named.length === 0) return ''
  const list = named.map(({ name, role }) => `“${name}” (${role})`).join(', ')
  return `\n  Demo     sign in as ${list}, and others`
}

export function printBanner({
  app,
  admin,
  api,
  devPort,
  metricsUrl,
  rpc,
  folder,
  demoPeople,
}: {
  app: string | undefined
  admin: string | undefined
  api: string
  devPort: number
  metricsUrl: string
  rpc: string
  folder: string
  demoPeople: readonly DemoPerson[]
}): void {
  const helper = `http://127.0.0.1:${devPort}`
  const json = `-H 'content-type: application/json'`
  const appLine = app === undefined ? '' : `\n  App      ${app}`
  const adminLine = admin === undefined ? '' : `\n  Admin    ${admin}   (sign in as “Operator”)`
  say(`Countersign is running, for development.${appLine}${demoLine(demoPeople)}${adminLine}
  API      ${api}   (reference: ${api}/docs/)
  Helper   ${helper}   (tokens, and a faucet for test funds)
  Chain    ${rpc}   (JSON-RPC)
  Metrics  ${metricsUrl}
  Data     ${folder}
Try it:
  t=$(curl -s ${helper}/token ${json} -d '{"realm":"consumer","subject":"me"}')
  access=$(echo "$t" | cut -d '"' -f 4); identity=$(echo "$t" | cut -d '"' -f 8)
  curl -s -X PUT ${api}/v1/consumer/session -H "authorization: Bearer $access" \\
    ${json} -d "{\\"identityToken\\":\\"$identity\\"}"
Ctrl-C stops it.`)
}
