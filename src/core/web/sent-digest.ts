/** `Content-Digest` (RFC 9530, section 2): the digest of a body as it is sent, compressed or not. Only sha-256 is checked. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { invalidField, Refusal } from '../../platform/refusal.ts';

const HEADER = 'Content-Digest';
/** A member of the dictionary with a byte sequence (RFC 9651), without parameters. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):$/;

export interface SentDigest {
  add(chunk: Uint8Array): void;
  /** Call this at the end of the body. Throws Refusal VALIDATION_ERROR if the digest differs. */
  check(): void;
}

/** Returns the digest of the request; undefined without a sha-256 digest. Throws Refusal BAD_REQUEST if the header is malformed. */
export function sentDigest({ headers }: IncomingMessage): SentDigest | undefined {
  const given = headers['content-digest'];
  if (given === undefined) return undefined;
  const wanted = parseDigest(String(given));
  if (wanted === undefined) return undefined;
  const hash = createHash('sha256');
  return {
    add: (chunk) => void hash.update(chunk),
    check() {
      const digest = hash.digest();
      if (digest.equals(wanted)) return;
      throw invalidField(
        HEADER,
        String(given),
        `is not that of the body, sha-256=:${digest.toString('base64')}:`,
      );
    },
  };
}

function parseDigest(header: string): Buffer | undefined {
  let found: Buffer | undefined;
  for (const text of header.split(',')) {
    const [, name, value] = MEMBER.exec(text.trim()) ?? [];
    if (name === undefined) throw malformedDigest();
    if (name !== 'sha-256') continue;
    found = Buffer.from(value!, 'base64');
    if (found.length !== 32) throw malformedDigest();
  }
  return found;
}

function malformedDigest(): Refusal {
  return new Refusal(
    'BAD_REQUEST',
    `${HEADER} must be like sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:`,
  );
}
