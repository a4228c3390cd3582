/** The submission of changed URLs, in the API's description. */
import { z } from 'zod';
import { pageHostText } from '../../submission/page-host.ts';
import type { Operation } from './operation.ts';
import { answered, count, described, jsonBody, text, time } from './shapes.ts';

const tag = 'IndexNow';

const host = z
  .object({
    host: described(text, 'A host of pages, with its port if that is not the usual one.'),
    key: text,
    keyFile: described(text, 'The address at which the host must have the key.'),
    verified: described(z.boolean(), 'Whether the file was there. Nothing is submitted before.'),
    problem: described(text.nullable(), 'For people: what was wrong with the file, and the cure.'),
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

export const indexNowOperations: readonly Operation[] = [
  {
    id: 'getIndexNow',
    method: 'get',
    path: '/api/domains/{id}/indexnow',
    tag,
    summary: 'Shows keys, and what was submitted',
    answers: answered(
      200,
      'The hosts of pages, by name.',
      z.object({
        enabled: z.boolean(),
        endpointConfigured: described(z.boolean(), 'Whether the operator has set up submissions.'),
        hosts: z.array(host),
      }),
      { enabled: true, endpointConfigured: true, hosts: [HOST] },
    ),
  },
  {
    id: 'verifyIndexNowHost',
    method: 'post',
    path: '/api/domains/{id}/indexnow/verify',
    tag,
    summary: 'Checks the key file of a host now',
    description: 'The answer is 200 even if the check fails: read `verified`. It takes up to 10 seconds.',
    body: jsonBody(
      z.strictObject({ host: described(pageHostText, 'A host, or an origin for pages without HTTPS.') }),
      { host: 'www.example.com' },
    ),
    answers: answered(200, 'The host.', host, HOST),
    errors: { CONFLICT: 'Or IndexNow is not enabled, or the domain has too many hosts.' },
  },
];
