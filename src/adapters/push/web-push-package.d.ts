/** The package has no types; this declares the one function that we use. */
declare module 'web-push' {
  type RequestDetails = {
    method: 'POST'
    headers: Record<string, string | number>
    body: Buffer
    endpoint: string
  }
  const webPush: {
    generateRequestDetails(
      subscription: { endpoint: string; keys: { p256dh: string; auth: string } },
      payload: string,
      options: {
        vapidDetails: { subject: string; publicKey: string; privateKey: string }
        TTL: number
        urgency: 'normal' | 'high'
        topic: string
        contentEncoding: 'aes128gcm'
      },
    ): RequestDetails
  }
  export = webPush
}
