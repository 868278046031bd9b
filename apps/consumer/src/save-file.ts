/** Some browsers read the file only after the click has returned, a large one for a while. */
const RELEASE_AFTER_MS = 60_000

/** Saves something that the page made or received as a file of the person. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_AFTER_MS)
}
