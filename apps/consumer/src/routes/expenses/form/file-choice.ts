/** Of the files that were chosen, those that still fit, and how many are left out. */
export function fitting<Chosen>(
  files: readonly Chosen[],
  room: number,
): { taken: Chosen[]; leftOut: number } {
  const taken = files.slice(0, Math.max(0, room))
  return { taken, leftOut: files.length - taken.length }
}
