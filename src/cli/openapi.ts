/** `npm run openapi` writes the OpenAPI document of the current routes to `openapi.json`. */
import { writeFile } from 'node:fs/promises'
import { ZERO_ADDRESS } from '@countersign/proof/values.ts'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import { readConfig } from '#platform/config/config.ts'
import { runCommand } from '#platform/terminal.ts'

/** Contacts nothing: the document needs only the routes and their schemas. */
export async function renderOpenApi(): Promise<string> {
  const realm = (name: string) => ({
    [`${name}_ISSUER`]: name,
    [`${name}_AUDIENCE`]: name,
    [`${name}_JWKS_URL`]: 'http://127.0.0.1:1/jwks.json',
  })
  const ctx = compose(
    readConfig({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      SERVER_SECRET: 'only routes are built here, no secret is used',
      LOG_LEVEL: 'silent',
      API_DOCS: 'false',
      RPC_URLS: 'http://127.0.0.1:1',
      TOKEN_ADDRESS: ZERO_ADDRESS,
      ...realm('CONSUMER'),
      ...realm('ADMIN'),
    }),
  )
  const app = await buildApp(ctx)
  await app.ready()
  const document = `${JSON.stringify(app.swagger(), null, 2)}\n`
  await app.close()
  await closeContext(ctx)
  return document
}

async function main(): Promise<string> {
  await writeFile('openapi.json', await renderOpenApi())
  return 'Wrote openapi.json.'
}

if (import.meta.main) await runCommand(main)
