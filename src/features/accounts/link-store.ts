/** The SQL of sign-in links. Each link works once, within ten minutes. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashToken } from './secret-token.ts';

export interface SignInLink {
  readonly accountId: string;
  readonly userId: string;
}

export const LINK_MINUTES = 10;

export async function insertSignInLink(
  queryable: Queryable,
  token: string,
  { accountId, userId }: SignInLink,
): Promise<void> {
  await queryable.query(
    `INSERT INTO sign_in_links (token_hash, kind, account_id, user_id, expires_at)
     VALUES ($1, 'sign_in', $2, $3, now() + $4 * interval '1 minute')`,
    [hashToken(token), accountId, userId, LINK_MINUTES],
  );
}

/** Uses up a link; of concurrent requests, one succeeds. Throws Refusal NOT_FOUND with `details.reason` `used` or `too_old`. */
export async function redeemSignInLink(queryable: Queryable, token: string): Promise<SignInLink> {
  const { rows } = await queryable.query<SignInLink & { isFresh: boolean }>(
    `DELETE FROM sign_in_links WHERE token_hash = $1 AND kind = 'sign_in'
     RETURNING account_id AS "accountId", user_id AS "userId", expires_at > clock_timestamp() AS "isFresh"`,
    [hashToken(token)],
  );
  if (rows[0] === undefined) throw deadLink('used', 'This link has been used already, or it never worked.');
  const { isFresh, ...link } = rows[0];
  if (!isFresh) throw deadLink('too_old', `This link is older than ${LINK_MINUTES} minutes.`);
  return link;
}

function deadLink(reason: string, problem: string): Refusal {
  return new Refusal('NOT_FOUND', `${problem} Ask for another one.`, { details: { reason } });
}
