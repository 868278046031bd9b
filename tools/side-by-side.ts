/** Runs scripts of package.json at the same time, and fails if one of them does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

async function run(script: string): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', script], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0
}

const passed = await Promise.all(process.argv.slice(2).map(run))
if (passed.includes(false)) process.exitCode = 1
