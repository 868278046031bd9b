/** What a wallet signs to be linked to an account (EIP-4361), and who signed it. Pure. */
import { type Address, type Hex, hashMessage, recoverAddress } from 'viem'
import { createSiweMessage } from 'viem/siwe'

export type LinkMessage = {
  /** Origin of the application that asks for the signature. */
  origin: string
  address: string
  chainId: number
  accountId: string
  challengeId: string
  /** At least 8 letters and digits. */
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

/** Built from stored values only: nothing that a client sends is parsed. */
export const linkMessageOf = (input: LinkMessage): string =>
  createSiweMessage({
    domain: new URL(input.origin).host,
    uri: input.origin,
    address: input.address as Address,
    statement: `Link this wallet to the Countersign account ${input.accountId}.`,
    version: '1',
    chainId: input.chainId,
    nonce: input.nonce,
    issuedAt: input.issuedAt,
    expirationTime: input.expiresAt,
    requestId: input.challengeId,
  })

/** The digest that wallets sign for a text message (EIP-191). */
export const messageDigest = (message: string): string => hashMessage(message)

/** The address of the key that signed, in lower case; undefined for other kinds of signatures. */
export async function messageSignerOf(
  message: string,
  signature: string,
): Promise<string | undefined> {
  try {
    const hash = hashMessage(message)
    return (await recoverAddress({ hash, signature: signature as Hex })).toLowerCase()
  } catch {
    return undefined
  }
}
