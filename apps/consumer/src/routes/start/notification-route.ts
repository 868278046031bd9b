/** Where a notification leads. Only addresses of this application, and only ones that it has. */
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const OWN_PAGE = new RegExp(
  `^/organizations/${ID}/(?:(?:expenses|payments|support-cases)/${ID}|webhooks|treasury)$`,
)
/** These have no page of their own: the list that shows them comes closest. */
const IN_A_LIST = new RegExp(`^(/organizations/${ID})/(members|unrecorded-payments)/${ID}$`)
const LISTS: Record<string, string> = { members: 'people', 'unrecorded-payments': 'activity' }

/** Null for anything else, such as another site. */
export function pathOfNotification(route: string): string | null {
  if (route === '/wallets' || OWN_PAGE.test(route)) return route
  const [, organization, kind = ''] = IN_A_LIST.exec(route) ?? []
  return organization ? `${organization}/${LISTS[kind]}` : null
}
