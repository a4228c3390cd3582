/** The SQL that counts the requests of a host, and says what is left of its day (docs/decisions/0111). The caller has locked the host. */
import type { Transaction } from '../../platform/postgres/database.ts';
import { type HostWork, TODAY } from './host-store.ts';
import { MAX_REFUSED_OF_ACCOUNT, MAX_REFUSED_REQUESTS } from './limits.ts';

export interface Budget {
  /** The number of URLs that the host may still submit today. */
  readonly urls: number;
  /** The number of the host's requests today. */
  readonly requests: number;
  /** The number of refused requests in a row. */
  readonly refusals: number;
  /** Why no more requests are sent today, for people; undefined if more are sent. */
  readonly spent: string | undefined;
}

export async function findBudget(
  transaction: Transaction,
  { domainId, host }: HostWork,
  urlsPerDay: number,
): Promise<Budget> {
  const { rows } = await transaction.query<Omit<Budget, 'spent'> & { ofHost: number; ofAccount: number }>(
    `SELECT greatest(0, $3 - CASE WHEN sent_on = ${TODAY} THEN sent_urls ELSE 0 END)::int AS urls, refusals,
            CASE WHEN sent_on = ${TODAY} THEN sent_requests ELSE 0 END AS requests,
            CASE WHEN sent_on = ${TODAY} THEN refused_requests ELSE 0 END AS "ofHost",
            coalesce((SELECT requests FROM indexnow_refusals r
                       WHERE r.account_id = h.account_id AND refused_on = ${TODAY}), 0) AS "ofAccount"
       FROM indexnow_hosts h WHERE domain_id = $1 AND host = $2`,
    [domainId, host, urlsPerDay],
  );
  const { urls, requests, refusals, ofHost, ofAccount } = rows[0]!;
  const isSpent = ofHost >= MAX_REFUSED_REQUESTS || (refusals > 0 && ofAccount >= MAX_REFUSED_OF_ACCOUNT);
  const whose = ofHost >= MAX_REFUSED_REQUESTS ? `${ofHost} requests for ${host}` : `${ofAccount} requests`;
  return {
    urls,
    requests,
    refusals,
    spent: isSpent
      ? `Search engines refused ${whose} on one day (UTC), and Waypost sends no more than that. The rest goes on the next day.`
      : undefined,
  };
}

export interface CountedRequests {
  /** The number of the host's requests today. */
  readonly requests: number;
  /** The number of refused requests in a row. */
  readonly refusals: number;
}

/** Counts a request. `other`: it was neither accepted nor refused, because the endpoint failed. */
export async function countRequest(
  transaction: Transaction,
  { accountId, domainId, host }: HostWork,
  result: 'accepted' | 'refused' | 'other',
  acceptedUrls: number,
): Promise<CountedRequests> {
  const today = (column: string) => `CASE WHEN sent_on = ${TODAY} THEN ${column} ELSE 0 END`;
  const { rows } = await transaction.query<CountedRequests>(
    `UPDATE indexnow_hosts
        SET sent_on = ${TODAY}, sent_requests = 1 + ${today('sent_requests')}, sent_urls = $4 + ${today('sent_urls')},
            refused_requests = CASE WHEN $3 = 'refused' THEN 1 ELSE 0 END + ${today('refused_requests')},
            refusals = CASE $3 WHEN 'refused' THEN refusals + 1 WHEN 'accepted' THEN 0 ELSE refusals END
      WHERE domain_id = $1 AND host = $2 RETURNING sent_requests AS requests, refusals`,
    [domainId, host, result, acceptedUrls],
  );
  if (result === 'refused') {
    await transaction.query(
      `INSERT INTO indexnow_refusals AS r (account_id, refused_on, requests) VALUES ($1, ${TODAY}, 1)
       ON CONFLICT (account_id) DO UPDATE
          SET refused_on = ${TODAY}, requests = 1 + CASE WHEN r.refused_on = ${TODAY} THEN r.requests ELSE 0 END`,
      [accountId],
    );
  }
  return rows[0]!;
}
