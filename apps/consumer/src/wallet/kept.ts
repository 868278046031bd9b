/**
 * What the browser remembers of a transaction under way, so that a reload loses nothing. It holds no
 * secret: everything in it is public on the chain or soon will be.
 */
import { useCallback, useState } from 'react'
import type { GenericSchema, InferOutput } from 'valibot'
import * as v from 'valibot'

const PREFIX = 'countersign.kept.'

function load<Schema extends GenericSchema>(key: string, schema: Schema) {
  try {
    const parsed = v.safeParse(schema, JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null'))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

export function useKept<Schema extends GenericSchema>(
  key: string,
  schema: Schema,
): [InferOutput<Schema> | null, (value: InferOutput<Schema> | null) => void] {
  const [value, setValue] = useState(() => ({ key, kept: load(key, schema) }))
  const keep = useCallback(
    (next: InferOutput<Schema> | null) => {
      if (next === null) localStorage.removeItem(PREFIX + key)
      else localStorage.setItem(PREFIX + key, JSON.stringify(next))
      setValue({ key, kept: next })
    },
    [key],
  )
  return [value.key === key ? value.kept : load(key, schema), keep]
}
