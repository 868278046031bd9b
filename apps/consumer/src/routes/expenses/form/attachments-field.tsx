import { useFailureWords } from '@countersign/app-kit/words/failures.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { Spinner } from '@countersign/ui/spinner.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Camera, Paperclip, RotateCw, X } from 'lucide-react'
import { type ChangeEvent, type DragEvent, type ReactNode, useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { fileSize } from '../file-size.ts'
import { fitting } from './file-choice.ts'
import { FILES_MAX, MEDIA_TYPES, type Upload, type useUploads } from './use-uploads.ts'
import type { AttachedFile } from './values.ts'

type Props = {
  files: readonly AttachedFile[]
  uploads: ReturnType<typeof useUploads>
  onRemove(id: string): void
  note?: ReactNode
}

export function AttachmentsField({ files, uploads, onRemove, note }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const { config } = useOrganization()
  const [isOver, setOver] = useState(false)
  const [leftOut, setLeftOut] = useState(0)
  const limit = fileSize(config.limits.attachmentBytes, region)
  const room = FILES_MAX - files.length - uploads.uploads.length
  const add = (chosen: Iterable<File>) => {
    const fit = fitting([...chosen], room)
    uploads.add(fit.taken)
    setLeftOut(fit.leftOut)
  }
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    add(event.target.files ?? [])
    event.target.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    add(event.dataTransfer.files)
  }
  const focusRing = 'has-focus-visible:outline-2 has-focus-visible:outline-accent'
  return (
    <fieldset
      className="flex flex-col gap-2"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <legend className="mb-1.5 flex w-full items-baseline justify-between gap-3 font-medium text-sm">
        <Trans>Invoice or receipt</Trans>
        {note && <span className="font-normal text-muted">{note}</span>}
      </legend>
      <ul className="flex flex-col gap-2 empty:hidden">
        {files.map(({ id, name, sizeBytes }) => (
          <FileRow key={id} name={name} detail={fileSize(sizeBytes, region)}>
            <Remove name={name} onClick={() => onRemove(id)} />
          </FileRow>
        ))}
        {uploads.uploads.map((upload) => (
          <UploadRow key={upload.key} upload={upload} uploads={uploads} />
        ))}
      </ul>
      {room > 0 && (
        <div
          className={classes(
            'flex flex-wrap items-center gap-2 rounded-md border border-dashed px-3 py-3',
            isOver ? 'border-accent bg-accent-soft' : 'border-control/60',
          )}
        >
          <label className={`${buttonStyle({ size: 'small' })} ${focusRing}`}>
            <Paperclip className="size-4" aria-hidden="true" />
            <Trans>Choose files</Trans>
            <input
              type="file"
              multiple
              accept={MEDIA_TYPES.join(',')}
              className="sr-only"
              onChange={pick}
            />
          </label>
          <label className={`${buttonStyle({ size: 'small' })} ${focusRing} sm:hidden`}>
            <Camera className="size-4" aria-hidden="true" />
            <Trans>Take a photo</Trans>
            <input
              type="file"
              accept="image/*"
              capture="environment"
              className="sr-only"
              onChange={pick}
            />
          </label>
          <span className="text-muted text-sm">
            <span className="max-sm:hidden">{t`or drop them here.`} </span>
            <Trans>PDF, PNG, JPEG, WebP or CSV, up to {limit} each.</Trans>
          </span>
        </div>
      )}
      <p role="status" className="text-bad text-sm empty:hidden">
        {leftOut > 0 && (
          <Plural
            value={leftOut}
            one={`# file was left out: at most ${FILES_MAX} can be attached.`}
            other={`# files were left out: at most ${FILES_MAX} can be attached.`}
          />
        )}
      </p>
    </fieldset>
  )
}

type RowProps = { name: string; detail: ReactNode; isWrong?: boolean; children: ReactNode }

const FileRow = ({ name, detail, isWrong = false, children }: RowProps) => (
  <li className="flex items-center gap-2 rounded-md border border-line bg-surface py-1 ps-3 pe-1">
    <span className="min-w-0 flex-1">
      <bdi className="block truncate">{name}</bdi>
      <span role="status" className={classes('block text-xs', isWrong ? 'text-bad' : 'text-muted')}>
        {detail}
      </span>
    </span>
    {children}
  </li>
)

function Remove({ name, onClick }: { name: string; onClick(): void }) {
  const { t } = useLingui()
  return (
    <Button look="quiet" size="icon" aria-label={t`Remove ${name}`} onClick={onClick}>
      <X className="size-4" aria-hidden="true" />
    </Button>
  )
}

type UploadProps = { upload: Upload; uploads: Props['uploads'] }

function UploadRow({ upload, uploads }: UploadProps) {
  const { t } = useLingui()
  const region = useRegion()
  const { config } = useOrganization()
  const { file, problem, key } = upload
  const limit = fileSize(config.limits.attachmentBytes, region)
  const isFailure = problem !== null && typeof problem !== 'string'
  const words = {
    type: t`Only PDF, PNG, JPEG, WebP and CSV files can be attached.`,
    size: t`Larger than ${limit}.`,
    empty: t`The file is empty.`,
  }
  return (
    <FileRow
      name={file.name}
      isWrong={problem !== null}
      detail={
        problem === null ? (
          <span className="flex items-center gap-1.5">
            <Spinner /> <Trans>Uploading {fileSize(file.size, region)}…</Trans>
          </span>
        ) : isFailure ? (
          <FailureText failure={problem} />
        ) : (
          words[problem]
        )
      }
    >
      {isFailure && (
        <Button
          look="quiet"
          size="icon"
          aria-label={t`Upload ${file.name} again`}
          onClick={() => uploads.retry(upload)}
        >
          <RotateCw className="size-4" aria-hidden="true" />
        </Button>
      )}
      <Remove name={file.name} onClick={() => uploads.remove(key)} />
    </FileRow>
  )
}

const FailureText = ({ failure }: { failure: Failure }) => <>{useFailureWords(failure).text}</>
