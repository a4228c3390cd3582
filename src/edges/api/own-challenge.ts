/** Answers the challenge of a certificate authority for the API's own hostname (http-01, RFC 8555, section 8.3). */
import type { RequestHandler } from 'express';
import { sendText } from '../../core/web/envelope.ts';
import { challengeKey, type HostChallenge, hostChallengeSchema } from '../../features/sites/certificate.ts';
import { recentResult } from '../../platform/concurrency/recent-result.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';

const PREFIX = '/.well-known/acme-challenge/';
/**
 * The store gets at most one read in this time, however many requests strangers send. Jobs wait longer than this before they ask the
 * authority.
 */
const FRESH_MS = 250;

export function ownChallenge(storage: Pick<ObjectStorage, 'get'>, hostname: string): RequestHandler {
  const read = recentResult(() => readChallenge(storage, hostname), { forMs: FRESH_MS });
  return async (request, response, next) => {
    if (!request.path.startsWith(PREFIX)) return next();
    const challenge = await read();
    if (challenge?.token !== request.path.slice(PREFIX.length)) return next();
    sendText(response, 'text/plain; charset=utf-8', challenge.keyAuthorization);
  };
}

async function readChallenge(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
): Promise<HostChallenge | undefined> {
  const bytes = await readObject(storage, challengeKey(hostname));
  return bytes && hostChallengeSchema.parse(JSON.parse(bytes.toString()));
}
