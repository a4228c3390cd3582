/** Operations that list the page hosts with changed URLs to submit to search engines, and make those of a domain due. */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import type { Domains } from '../../features/domains/open-domains.ts';
import type { makeAllHostsDue } from '../../features/submission/switch-store.ts';
import type { listWaitingHosts } from '../../features/submission/waiting-store.ts';
import { withShownTimes } from '../../platform/iso-seconds.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Verb } from '../../platform/verb.ts';
import { STATE } from '../api/domain-examples.ts';
import { tagged } from '../api/operation.ts';
import { answered, answeredList, count, described, id, text, time } from '../api/shapes.ts';
import { ACCOUNT } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface SubmissionNeeds {
  readonly domains: Pick<Domains, 'all'>;
  readonly listWaitingHosts: Verb<typeof listWaitingHosts>;
  readonly makeAllHostsDue: Verb<typeof makeAllHostsDue>;
}

const MOST_HOSTS = 1_000;

const waiting = z
  .object({
    hostname: described(text, 'Of the domain.'),
    accountId: id('account'),
    host: described(text, 'The page host.'),
    verified: described(z.boolean(), 'Whether it consents, by its key file.'),
    batches: count,
    urls: count,
    failures: described(count, 'In a row.'),
    lastStatus: described(z.int().nullable(), 'Of the last answer; null without one.'),
    lastSubmittedAt: time.nullable(),
    dueAt: time.nullable(),
    problem: described(text.nullable(), 'For people.'),
  })
  .meta({ id: 'WaitingHost' });

export const submissionOperations = tagged('Domains', [
  operatorOperation('get', '/operator/page-hosts', {
    id: 'listWaitingHosts',
    summary: `Lists page hosts, those with the oldest waiting URLs at the top, at most ${MOST_HOSTS}`,
    query: { domain: described(text, 'Only those of the domain with this id.') },
    answer: answeredList('Page hosts.', z.array(waiting).max(MOST_HOSTS), {
      ...{ hostname: STATE.hostname, accountId: ACCOUNT.id, host: 'www.example.com', verified: true },
      ...{ batches: 1, urls: 250, failures: 0, lastStatus: 202, lastSubmittedAt: '2026-01-15T10:00:00Z' },
      ...{ dueAt: '2026-01-15T11:00:00Z', problem: null },
    }),
    async run(needs: SubmissionNeeds, { request: { query } }) {
      const hosts = await needs.listWaitingHosts(queryText(query, 'domain'), MOST_HOSTS);
      return hosts.map(({ isVerified, ...rest }) => ({ ...withShownTimes(rest), verified: isVerified }));
    },
  }),
  operatorOperation('post', '/operator/domains/{id}/indexnow/retry', {
    id: 'retrySubmission',
    summary: 'Checks the key files of a domain now, and submits what waits',
    description: 'It ends all pauses. The jobs do the work, and the budget of the day still holds.',
    answer: answered(
      200,
      'The page hosts of the domain are due now.',
      z.object({ hostname: text, pageHosts: described(count, 'How many.') }),
      { hostname: STATE.hostname, pageHosts: 1 },
    ),
    errors: {
      NOT_FOUND: 'There is no such domain.',
      CONFLICT: 'Its owner has not enabled the submission of URLs.',
    },
    async run(needs: SubmissionNeeds, { path }) {
      const { hostname, isIndexNowEnabled, id: domainId } = await needs.domains.all.get(path.id);
      if (!isIndexNowEnabled)
        throw new Refusal(
          'CONFLICT',
          `${hostname} does not submit URLs: its owner has not enabled IndexNow.`,
        );
      return { hostname, pageHosts: await needs.makeAllHostsDue(domainId) };
    },
  }),
]);
