import { say } from '@countersign/ui/say.ts'
import { useLingui } from '@lingui/react/macro'
import { signOut } from '../data/session.ts'

/** Signs out, or says that it did not work. Resolves only if the person is still signed in. */
export function useSignOut(): (options: { everywhere: boolean }) => Promise<void> {
  const { t } = useLingui()
  return async (options) => {
    if (await signOut(options)) return
    say(t`You are still signed in`, t`The service could not be reached. Try again.`)
  }
}
