/**
 * Seals secrets for places that others can read: a database dump, object storage. AES-256-GCM with a random nonce of 96 bits (NIST SP
 * 800-38D), so one key may seal at most 2³² secrets. The seal also authenticates the subject of a secret, so a sealed secret that is moved
 * to another subject does not open.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** A sealed secret, as JSON stores it. `bytes`: nonce, ciphertext and tag in base64. */
export interface Sealed {
  readonly keyId: string;
  readonly bytes: string;
}

/** The secret cannot be opened: its key is not in the ring, its sealed bytes were changed, or it belongs to another subject. */
export class SealError extends Error {}

export class KeyRing {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealing: string;

  /** `text`: `id:key,id:key,…`, each key 32 bytes in base64. The first key seals, and all keys open. Throws RangeError. */
  constructor(text: string) {
    const keys = text.split(',').map((part) => parseKey(part.trim()));
    this.#keys = new Map(keys);
    this.#sealing = keys[0]![0];
    if (this.#keys.size < keys.length) throw new RangeError('two keys have the same id');
  }

  /** `subject`: the thing to which the secret belongs. */
  seal(secret: Uint8Array, subject: readonly string[]): Sealed {
    const keyId = this.#sealing;
    const sealed = sealBytes(this.#keys.get(keyId)!, secret, [keyId, ...subject]);
    return { keyId, bytes: sealed.toString('base64') };
  }

  /** Throws SealError. */
  open({ keyId, bytes }: Sealed, subject: readonly string[]): Buffer {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new SealError(`no key has the id ${keyId}`);
    return openBytes(key, Buffer.from(bytes, 'base64'), [keyId, ...subject]);
  }

  /** Opens a secret as `open` does. Returns undefined if the secret cannot be opened. */
  tryOpen(sealed: Sealed, subject: readonly string[]): Buffer | undefined {
    try {
      return this.open(sealed, subject);
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }

  /** Seals a secret anew with the key that seals now. Returns undefined if the secret cannot be opened. */
  reseal(sealed: Sealed, subject: readonly string[]): Sealed | undefined {
    const secret = this.tryOpen(sealed, subject);
    return secret && this.seal(secret, subject);
  }

  /** Returns a secret for `purpose` that every process with this ring knows: HKDF (RFC 5869) of the key that seals. */
  derive(purpose: string, bytes: number): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#keys.get(this.#sealing)!, '', purpose, bytes));
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** The id of the key that seals. */
  get keyId(): string {
    return this.#sealing;
  }
}

/** Returns a key for a new ring, in the form that the constructor takes. */
export function newKeyRingText(): string {
  return `k1:${randomBytes(KEY_BYTES).toString('base64')}`;
}

function parseKey(text: string): [string, Buffer] {
  const [id = '', encoded = '', ...rest] = text.split(':');
  const key = Buffer.from(encoded, 'base64');
  const isWhole = key.toString('base64').replace(/={0,2}$/, '') === encoded.replace(/={0,2}$/, '');
  if (!KEY_ID.test(id) || !isWhole || key.length !== KEY_BYTES || rest.length > 0) {
    throw new RangeError(`a key must have the form id:key, with ${KEY_BYTES} bytes in base64`);
  }
  return [id, key];
}

/** Returns nonce, ciphertext and tag. */
export function sealBytes(key: Buffer, bytes: Uint8Array, subject: readonly string[]): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated(subject));
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Throws SealError. */
export function openBytes(key: Buffer, sealed: Buffer, subject: readonly string[]): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealError('the sealed secret is too short');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(subject)).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new SealError('the sealed secret is damaged, or belongs to something else', { cause });
  }
}

/** JSON keeps the parts apart, so that no two subjects give the same bytes. */
function associated(subject: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(subject));
}
