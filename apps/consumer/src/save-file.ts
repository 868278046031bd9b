/** Saves something that the page made or received as a file of the person. */
const RELEASE_AFTER_MS = 30_000

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // Not at once: some browsers read the file only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_AFTER_MS)
}
