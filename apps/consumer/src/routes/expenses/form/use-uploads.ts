import { fileClient } from '@countersign/app-kit/data/api.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { randomKey } from '@countersign/client/random-key.ts'
import { useEffect, useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { createRunningUploads } from './running-uploads.ts'
import type { AttachedFile } from './values.ts'

/** As docs/ATTACHMENTS.md lists them; the service checks the bytes. */
export const MEDIA_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/csv',
] as const
export type MediaType = (typeof MEDIA_TYPES)[number]
export const FILES_MAX = 10

export type Upload = {
  /** The idempotency key, too: a retry is the same upload. */
  key: string
  file: File
  problem: 'type' | 'size' | 'empty' | Failure | null
}

const isMediaType = (type: string): type is MediaType =>
  (MEDIA_TYPES as readonly string[]).includes(type)

/** Some systems do not know the type of a CSV file, or take it for a spreadsheet's. */
const mediaTypeOf = ({ type, name }: Pick<File, 'type' | 'name'>): string =>
  name.toLowerCase().endsWith('.csv') ? 'text/csv' : type

function problemOf(
  file: Pick<File, 'type' | 'name' | 'size'>,
  bytesMax: number,
): 'type' | 'size' | 'empty' | null {
  if (!isMediaType(mediaTypeOf(file))) return 'type'
  if (file.size === 0) return 'empty'
  return file.size > bytesMax ? 'size' : null
}

/** RFC 5987: names in any script. */
const dispositionOf = (name: string): string => {
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => {
    const code = sign.charCodeAt(0).toString(16).toUpperCase()
    return `%${code}`
  })
  return `attachment; filename*=UTF-8''${encoded}`
}

export function useUploads(onStored: (file: AttachedFile) => void) {
  const { id: organizationId, config } = useOrganization()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const [running] = useState(createRunningUploads)
  useEffect(() => running.stopAll, [running])
  const without = (key: string) => setUploads((all) => all.filter((one) => one.key !== key))
  const mark = (key: string, problem: Upload['problem']) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, problem } : one)))

  const send = async ({ key, file }: Upload) => {
    const contentType = mediaTypeOf(file)
    if (!isMediaType(contentType)) return
    mark(key, null)
    const stored = await running.run(key, (signal) =>
      fileClient.call('uploadAttachment', {
        path: { organizationId },
        headers: { 'content-disposition': dispositionOf(file.name) },
        contentType,
        body: file,
        idempotencyKey: key,
        signal,
      }),
    )
    if (!stored) return
    if (!stored.ok) return mark(key, stored.failure)
    without(key)
    const { id, name, mediaType, sizeBytes } = stored.data
    onStored({ id, name, mediaType, sizeBytes })
  }
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({
      key: randomKey(),
      file,
      problem: problemOf(file, config.limits.attachmentBytes),
    }))
    setUploads((all) => [...all, ...added])
    for (const upload of added) if (upload.problem === null) void send(upload)
  }
  return {
    uploads,
    add,
    retry: (upload: Upload) => void send(upload),
    remove: (key: string) => {
      running.stop(key)
      without(key)
    },
    clear: () => {
      running.stopAll()
      setUploads([])
    },
    isBusy: uploads.some(({ problem }) => problem === null),
  }
}
