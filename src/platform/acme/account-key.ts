/**
 * Uses the key of an account: signs requests (RFC 8555, section 6.2) and bindings to an external account, and makes the answers to
 * challenges.
 */
import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { FlattenedSign } from 'jose/jws/flattened/sign';
import type { Secret } from '../secret.ts';

export interface ExternalAccount {
  readonly keyId: string;
  /** The key in base64url, which is the form in which authorities give it to their customers. */
  readonly hmacKey: Secret;
}

/** The parts of the header that is signed with the payload of a request. Without `account`, the header carries the public key. */
export interface SignedHeader {
  readonly url: string;
  readonly nonce: string;
  readonly account?: string | undefined;
}

export class AccountKey {
  readonly #privateKey: KeyObject;
  readonly #jwk: Record<'crv' | 'kty' | 'x' | 'y', string>;

  /** `privateKey`: a key on P-256. Throws TypeError for a key of another kind. */
  constructor(privateKey: KeyObject) {
    if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
      throw new TypeError('the key of an ACME account must be on P-256');
    }
    this.#privateKey = privateKey;
    const { crv = '', kty = '', x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
    this.#jwk = { crv, kty, x, y };
  }

  /** Returns the body of a request: a JWS in JSON. Without `payload`, the request is a POST-as-GET. */
  async sign(payload: object | undefined, { url, nonce, account }: SignedHeader): Promise<string> {
    const bytes = Buffer.from(payload === undefined ? '' : JSON.stringify(payload));
    const who = account === undefined ? { jwk: this.#jwk } : { kid: account };
    const jws = new FlattenedSign(bytes).setProtectedHeader({ alg: 'ES256', ...who, nonce, url });
    return JSON.stringify(await jws.sign(this.#privateKey));
  }

  /** Returns the binding of this key to the external account (RFC 8555, section 7.3.4). `url`: the server's newAccount URL. */
  bind({ keyId, hmacKey }: ExternalAccount, url: string): object {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = { protected: encode({ alg: 'HS256', kid: keyId, url }), payload: encode(this.#jwk) };
    const hmac = createHmac('sha256', Buffer.from(hmacKey.reveal(), 'base64url'));
    return { ...signed, signature: hmac.update(`${signed.protected}.${signed.payload}`).digest('base64url') };
  }

  /** Returns the key authorization: the whole answer to a challenge (RFC 8555, section 8.1). */
  async authorize(token: string): Promise<string> {
    return `${token}.${await calculateJwkThumbprint(this.#jwk)}`;
  }
}
