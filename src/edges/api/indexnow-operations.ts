/** Operations that show the submission of changed URLs, and check the key file of a host (spec D51, spec D52). */
import { z } from 'zod';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { ListedHost } from '../../features/submission/host-store.ts';
import type { Submission } from '../../features/submission/open-submission.ts';
import { keyFileOf, pageHostText } from '../../features/submission/page-host.ts';
import { operation, tagged } from './operation.ts';
import { answered, count, described, jsonBody, type Shown, shownAs, text, time } from './shapes.ts';

export interface IndexNowNeeds {
  readonly submission: Submission;
  readonly ownDomain: OwnDomain;
}

const hostShape = z
  .object({
    host: described(text, 'A host of pages, with its port if that is not the usual one.'),
    key: text,
    keyFile: described(text, 'The address at which the host must have the key.'),
    verified: described(z.boolean(), 'Whether the file was there. Nothing is submitted before.'),
    problem: described(
      text.nullable(),
      'For people: what was wrong with the file, or that search engines refuse the URLs, and the cure.',
    ),
    queued: described(count, 'Changed URLs that wait.'),
    sentToday: described(count, 'URLs that were submitted on this day (UTC).'),
    lastStatus: described(z.int().nullable(), 'Of the last answer of the search engines.'),
    lastSubmittedAt: time.nullable(),
    pausedUntil: described(time.nullable(), 'Until then, nothing is submitted or checked.'),
  })
  .meta({ id: 'IndexNowHost' });

const HOST = {
  host: 'www.example.com',
  key: '5d3f0c9be1a84f27b6c1e88d0a2f7c94',
  keyFile: 'https://www.example.com/5d3f0c9be1a84f27b6c1e88d0a2f7c94.txt',
  verified: true,
  problem: null,
  queued: 0,
  sentToday: 128,
  lastStatus: 200,
  lastSubmittedAt: '2026-01-15T10:04:00Z',
  pausedUntil: null,
};

export const indexNowOperations = tagged('IndexNow', [
  operation('get', '/api/domains/{id}/indexnow', {
    id: 'getIndexNow',
    access: { actions: ['read'], to: 'whole domain' },
    summary: 'Shows keys, and what was submitted',
    answer: answered(
      200,
      'The hosts of pages, by name.',
      z.object({
        enabled: z.boolean(),
        endpointConfigured: described(z.boolean(), 'Whether the operator has set up submissions.'),
        hosts: z.array(hostShape),
      }),
      { enabled: true, endpointConfigured: true, hosts: [HOST] },
    ),
    async run({ submission, ownDomain }: IndexNowNeeds, { caller, path }) {
      const domain = await ownDomain(caller.accountId, path.id);
      const hosts = await submission.listHosts(domain.id);
      return {
        enabled: domain.isIndexNowEnabled,
        endpointConfigured: submission.isConfigured,
        hosts: hosts.map(describeHost),
      };
    },
  }),
  operation('post', '/api/domains/{id}/indexnow/verify', {
    id: 'verifyIndexNowHost',
    access: { actions: ['domains'], to: 'whole domain' },
    summary: 'Checks the key file of a host now',
    description: 'The answer is 200 even if the check fails: read `verified`. It takes up to 10 seconds.',
    body: jsonBody(
      z.strictObject({ host: described(pageHostText, 'A host, or an origin for pages without HTTPS.') }),
      { host: 'www.example.com' },
    ),
    answer: answered(200, 'The host.', hostShape, HOST),
    errors: { CONFLICT: 'Or IndexNow is not enabled, or the domain has too many hosts.' },
    async run({ submission, ownDomain }: IndexNowNeeds, { caller, path, members }) {
      const domain = await ownDomain(caller.accountId, path.id);
      const given = (await members()).get('host');
      return describeHost(await submission.verifyPageHost(domain, given));
    },
  }),
]);

function describeHost(host: ListedHost): Shown<typeof hostShape> {
  return shownAs(hostShape, { ...host, keyFile: keyFileOf(host), verified: host.isVerified });
}
