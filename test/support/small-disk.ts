/** A small disk that a test fills. Mounting it needs privileges. */
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './debian.ts'

/** In memory, so that it fills quickly. Resolves with a function that unmounts it. */
export async function mountDisk(
  folder: string,
  { mib, options }: { mib: number; options: string },
): Promise<() => Promise<void>> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,${options}`, 'tmpfs', folder])
  return async () => {
    await run('umount', ['-l', folder])
  }
}

/** Fills the disk to the last byte. Resolves with a function that frees the space. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'filler')
  const file = await open(path, 'w')
  try {
    for (let size = 1 << 20; size >= 512; ) {
      const isWritten = await file.write(Buffer.alloc(size)).then(
        ({ bytesWritten }) => bytesWritten === size,
        () => false,
      )
      if (!isWritten) size /= 2
    }
  } finally {
    await file.close()
  }
  return () => rm(path)
}
