/** Scripts that no first screen shows must not take the network from what it is waiting for. */
const FIRST_SCREEN_MS = 1_000

let hurry: () => void = () => undefined
const passed = new Promise<void>((resolve) => {
  hurry = resolve
  if (typeof window !== 'undefined') setTimeout(resolve, FIRST_SCREEN_MS)
})

export const afterFirstScreen = (): Promise<void> => passed

/** Somebody asked for one of them already. */
export const loadNow = (): void => hurry()
