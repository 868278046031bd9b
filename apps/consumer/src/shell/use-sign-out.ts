import { signOut } from '@countersign/app-kit/data/session.ts'
import { say } from '@countersign/ui/say.ts'
import { useLingui } from '@lingui/react/macro'

/** Signs out, or says that it did not work. Resolves only if the person is still signed in. */
export function useSignOut(): (options: { everywhere: boolean }) => Promise<void> {
  const { t } = useLingui()
  return async (options) => {
    const { turnOff } = await import('../data/push-device.ts')
    // Otherwise the next person at this device would get messages of this one.
    await turnOff().catch(() => {})
    if (await signOut(options)) return
    say(t`You are still signed in`, t`The service could not be reached. Try again.`)
  }
}
