/** Finds an upload session, and the domain of an open session. */
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { UploadOptions } from '../accept-upload.ts';
import type { ReceivingDomain } from '../upload-members.ts';
import { noSuchSession, notOpen, type UploadSession } from './session.ts';
import { findSession, findSessionOfDomain } from './session-store.ts';

/** Throws Refusal NOT_FOUND. */
export async function getSession(
  queryable: Queryable,
  accountId: string,
  sessionId: string,
): Promise<UploadSession> {
  const session = await findSession(queryable, accountId, sessionId);
  if (session === undefined) throw noSuchSession();
  return session;
}

/** Throws Refusal if there is no such session, if it is not open, or if its domain is gone. */
export async function getOpenSession(
  queryable: Queryable,
  accountId: string,
  sessionId: string,
): Promise<UploadSession> {
  const session = await findSessionOfDomain(queryable, accountId, sessionId);
  if (session === undefined) throw noSuchSession();
  if (session.status !== 'open') throw notOpen(session.status);
  return session;
}

/** Returns the domain of a session. Throws as `getOpenSession` does. */
export async function getOpenDomain(
  { getDomain }: Pick<UploadOptions, 'getDomain'>,
  { accountId, domainId, hostname, status }: UploadSession,
): Promise<ReceivingDomain> {
  if (status !== 'open') throw notOpen(status);
  const domain = await getDomain(accountId, hostname);
  // The hostname was deleted and registered again.
  if (domain.id !== domainId) throw noSuchSession();
  return domain;
}
