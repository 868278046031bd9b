/** The part of `oidc-provider` that `npm start` and tests use; it ships without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export type Details = {
    uid: string
    prompt: { name: string; details: Record<string, unknown> }
    params: Record<string, string>
    grantId?: string
    session?: { accountId: string; uid: string }
    save(seconds: number): Promise<string>
  }

  class Grant {
    constructor(properties: { accountId: string; clientId: string })
    addOIDCScope(scope: string): void
    addOIDCClaims(claims: string[]): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    Grant: typeof Grant
    Session: { findByUid(uid: string): Promise<{ destroy(): Promise<void> } | undefined> }
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Details>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission: boolean },
    ): Promise<void>
  }
}
