#!/usr/bin/env node
/**
 * Recomputes the hash of reports and of expense revisions from the API's own answers. The recipe is
 * in HASHES.md. Nothing of the service is imported, so that this is a second opinion.
 *
 *   node docs/verify-hashes.mjs vaults.json expense.json report.json
 *   curl … | node docs/verify-hashes.mjs vaults.json -
 */
import { readFileSync } from 'node:fs'
import canonicalize from 'canonicalize'
import { keccak256, stringToBytes } from 'viem/utils'

const hashOf = (text) => keccak256(stringToBytes(text))
const lower = (address) => address.toLowerCase()

const reportHashOf = ({ output }) => hashOf(canonicalize(output))

/** Null for a revision of version 1, which has none of these. */
const detailsOf = ({ attachments = [], category = null, reference = null, dueDate = null }) => {
  if (attachments.length === 0 && (category ?? reference ?? dueDate) === null) return null
  const hashes = attachments.length === 0 ? null : attachments.map(({ sha256 }) => sha256)
  return { attachments: hashes, category, reference, dueDate }
}

const versionHashOf = ({ expense, revision, vault }) =>
  hashOf(
    canonicalize({
      v: detailsOf(revision) ? 2 : 1,
      organizationId: expense.organizationId,
      expenseId: expense.id,
      revision: revision.revision,
      vaultId: revision.vaultId,
      vaultAddress: lower(vault.address),
      chainId: vault.chainId,
      token: lower(vault.tokenAddress),
      recipientAddress: lower(revision.recipientAddress),
      amountBaseUnits: revision.amountBaseUnits,
      requestedMode: revision.requestedMode,
      purposeHash: hashOf(revision.purpose),
      ...detailsOf(revision),
    }),
  )

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function read(name) {
  try {
    return JSON.parse(readFileSync(name === '-' ? 0 : name, 'utf8'))
  } catch (error) {
    return fail(`${name === '-' ? 'The input' : name} cannot be read: ${error.message}`)
  }
}

/** An answer is a thing or a list of things; each is known by its fields. */
const thingsIn = (answer) => {
  if (Array.isArray(answer)) return answer.flatMap(thingsIn)
  if (answer === null || typeof answer !== 'object') return []
  if (Array.isArray(answer.expenses)) return answer.expenses
  if (Array.isArray(answer.vaults)) return answer.vaults
  return [answer]
}

const names = process.argv.slice(2)
if (names.length === 0) fail('Usage: node docs/verify-hashes.mjs <answer.json | -> ...')
const things = names.flatMap((name) => thingsIn(read(name)))
const vaults = new Map(
  things.filter((thing) => 'tokenAddress' in thing).map((vault) => [vault.id, vault]),
)

const results = things.flatMap((thing) => {
  if ('reportHash' in thing) {
    const { id, reportHash } = thing
    return [{ what: `report ${id}`, told: reportHash, found: reportHashOf(thing) }]
  }
  if (!('paymentId' in thing)) return []
  const all = [thing.revision, ...(thing.revisions ?? [])]
  return all.map((revision) => {
    const vault = vaults.get(revision.vaultId)
    if (!vault) return fail(`Give the answer of GET …/vaults with vault ${revision.vaultId} too.`)
    const found = versionHashOf({ expense: thing, revision, vault })
    const what = `expense ${thing.id} revision ${revision.revision}`
    return { what, told: revision.versionHash, found }
  })
})
if (results.length === 0) fail('There is neither a report nor an expense in these answers.')

for (const { what, told, found } of results) {
  const verdict = told === found ? 'ok' : `NO, its fields give ${found}`
  process.stdout.write(`${what} ${told} ${verdict}\n`)
}
process.exitCode = results.every(({ told, found }) => told === found) ? 0 : 1
