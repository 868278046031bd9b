/** `npm run examples` tells the story and writes `src/http/examples.json`. */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tellStory } from '#test/reference/story.ts'
import { written } from '#test/support/contract.ts'

test('the story calls every operation successfully', { timeout: 600_000 }, async () => {
  const examples = await tellStory()
  const operations = Object.values(written.paths).flatMap((item) => Object.values(item))
  const ids = operations.map((operation) =>
    String('operationId' in operation && operation.operationId),
  )
  expect(ids.filter((id) => !(id in examples))).toEqual([])
  const lines = Object.entries(examples).map(
    ([id, example]) => `${JSON.stringify(id)}: ${JSON.stringify(example)}`,
  )
  await writeFile('src/http/examples.json', `{\n${lines.join(',\n')}\n}\n`)
})
