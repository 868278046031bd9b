import { say } from '@countersign/ui/say.ts'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { renewOnce } from '../data/push-device.ts'
import { CATEGORIES, isCategory } from '../words/notifications.ts'

type Message = { kind?: unknown; eventId?: unknown; category?: unknown }

/** What the service worker tells an open page: news to show here, or an address to open. */
export function PushMessages() {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    void renewOnce().catch(() => {})
    const onMessage = ({ data, ports }: MessageEvent<Message | null>) => {
      if (data?.kind === 'push') {
        say(
          isCategory(data.category)
            ? i18n._(CATEGORIES[data.category].sentence)
            : t`There is news in Countersign.`,
        )
      }
      if (data?.kind === 'open' && typeof data.eventId === 'string') {
        void navigate({ to: '/n/$eventId', params: { eventId: data.eventId } })
      }
      // Without it the worker shows a notification, or opens a window.
      ports[0]?.postMessage(null)
    }
    navigator.serviceWorker.addEventListener('message', onMessage)
    return () => navigator.serviceWorker.removeEventListener('message', onMessage)
  }, [t, i18n, navigate])
  return null
}
