/** Begins a session: at each sign-in and each linking of an identity, with a new token. */
import type { Request, Response } from 'express';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import { newToken } from '../accounts/secret-token.ts';
import { endOldestSessions, endSessionOfToken, insertSession } from '../accounts/session-store.ts';
import type { NewId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { type Database, inTransaction, type Transaction } from '../platform/postgres/database.ts';
import { clientOf } from '../web/client-of.ts';
import type { Cookie } from './cookie.ts';
import type { IdTokenSeal } from './id-token-seal.ts';

interface BegunSession {
  readonly userId: string;
  readonly accountId: string;
  /** Of the identity; absent after a one-time link. */
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  /** The provider's name for its own session. */
  readonly sid?: string | undefined;
  readonly idToken?: string | undefined;
  readonly authenticatedAt: Date;
  readonly request: Request;
}

/**
 * `begun`: or what finds it out, in the same transaction. Throws Refusal UNAUTHORIZED when the person has
 * just gone.
 */
export type BeginSession = (
  response: Response,
  begun: BegunSession | ((transaction: Transaction) => Promise<BegunSession>),
) => Promise<void>;

export interface BeginSessionOptions {
  readonly database: Database;
  readonly cookie: Cookie;
  readonly seal: IdTokenSeal;
  readonly newId: NewId;
  readonly log: Log;
}

const MAX_USER_AGENT_LENGTH = 256;

/**
 * The session that the browser had before ends. Its token is never taken over: a stranger may have set it.
 */
export function createBeginSession(options: BeginSessionOptions): BeginSession {
  const { database, cookie, log } = options;
  return async (response, begun) => {
    const token = newToken();
    const started = await inTransaction(database, async (transaction) => {
      const session = typeof begun === 'function' ? await begun(transaction) : begun;
      const former = cookie.read(session.request);
      if (former !== undefined) await endSessionOfToken(transaction, former);
      return insert(options, transaction, session, token);
    });
    // Only now: if the commit fails, the browser keeps the session that it has.
    cookie.set(response, token);
    log.info(started, 'session started');
  };
}

async function insert(
  { seal, newId }: BeginSessionOptions,
  transaction: Transaction,
  { userId, accountId, issuer, subject, sid, idToken, authenticatedAt, request }: BegunSession,
  token: string,
) {
  const id = newId('session');
  const address = clientOf(request);
  await insertSession(transaction, {
    ...{ id, token, userId, accountId, authenticatedAt, address },
    issuer: issuer ?? null,
    subject: subject ?? null,
    sid: sid ?? null,
    idToken: idToken === undefined ? null : seal.seal(id, idToken),
    userAgent: request.get('user-agent')?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  });
  await endOldestSessions(transaction, userId);
  const actor = { accountId, keyId: null, session: { id, userId }, address };
  const by = issuer ?? 'one-time link';
  await insertAuditEvent(transaction, actor, { action: 'session.started', subject: by });
  return { sessionId: id, userId, accountId, issuer };
}
