/** Tables without a tenant. A new one must be listed here deliberately. */
export const tenantless = [
  ...['accounts', 'live_state', 'migrations', 'operators', 'push_position', 'webhook_position'],
  'expense_words_position',
  // Hashes and times only; the API cannot read them.
  ...['email_deliveries', 'email_position'],
  ...['worker_processes', 'worker_keys', 'health_rounds', 'service_health', 'webhook_sealing_keys'],
  // Only gateways reach it, and they know sessions by a hash alone.
  'web_sessions',
  // Digests of callers and ids of open streams, to count them among processes.
  ...['rate_leases', 'open_streams'],
  // Numbers of transactions that changed an account or a wallet.
  'shared_task_changes',
  // Public data of the chain.
  ...['chain_blocks', 'chain_logs', 'chain_position', 'chain_watches'],
]
/** Tenant tables that use another column than organization_id. */
export const alsoTenants = [
  ...['organizations', 'wallets', 'wallet_exports', 'wallet_links', 'wallet_link_challenges'],
  ...['idempotency_keys', 'notification_preferences', 'profiles', 'push_subscriptions'],
]
