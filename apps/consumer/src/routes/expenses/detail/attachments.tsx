import { fileClient } from '@countersign/app-kit/data/api.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { Failure } from '@countersign/client/errors.ts'
import { Button } from '@countersign/ui/button.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { useLingui } from '@lingui/react/macro'
import { Download, FileText, Image } from 'lucide-react'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { saveFile } from '../../../save-file.ts'
import type { Revision } from '../expense-types.ts'
import { fileSize } from '../file-size.ts'

type File = NonNullable<Revision['attachments']>[number]

/** Files are saved, never opened inside the page: they come from people. */
export function Attachments({ files }: { files: readonly File[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {files.map((file) => (
        <AttachmentRow key={file.id} file={file} />
      ))}
    </ul>
  )
}

function AttachmentRow({ file }: { file: File }) {
  const { t } = useLingui()
  const region = useRegion()
  const { id: organizationId } = useOrganization()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const { id: attachmentId, name, mediaType, sizeBytes } = file
  const download = async () => {
    setBusy(true)
    setFailure(null)
    const got = await fileClient.call('downloadAttachment', {
      path: { organizationId, attachmentId },
      as: 'blob',
    })
    setBusy(false)
    if (got.ok) saveFile(name, new Blob([got.data], { type: mediaType }))
    else setFailure(got.failure)
  }
  const Icon = mediaType.startsWith('image/') ? Image : FileText
  return (
    <li>
      <div className="flex items-center gap-3 rounded-md border border-line px-3 py-1.5">
        <Icon className="size-5 shrink-0 text-muted" aria-hidden="true" />
        <span className="min-w-0 flex-1">
          <bdi className="block truncate">{name}</bdi>
          <span translate="no" className="text-muted text-xs">
            {fileSize(sizeBytes, region)}
          </span>
        </span>
        <Button
          look="quiet"
          size="icon"
          isBusy={isBusy}
          aria-label={t`Download ${name}`}
          onClick={() => void download()}
        >
          {!isBusy && <Download className="size-4" aria-hidden="true" />}
        </Button>
      </div>
      {failure && <FailureNotice failure={failure} onRetry={() => void download()} />}
    </li>
  )
}
