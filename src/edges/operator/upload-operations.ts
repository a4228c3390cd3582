/** The operation that lists the published uploads, rollbacks and deltas of all accounts. */
import { z } from 'zod';
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { queryText } from '../../core/web/query-text.ts';
import type { listUploads } from '../../features/uploads/list-uploads.ts';
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { withShownTimes } from '../../platform/iso-seconds.ts';
import type { Verb } from '../../platform/verb.ts';
import { STATE } from '../api/domain-examples.ts';
import { tagged } from '../api/operation.ts';
import { answeredPage, count, described, id, PAGE_QUERY, text, time } from '../api/shapes.ts';
import { ACCOUNT } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface UploadListNeeds {
  readonly listUploads: Verb<typeof listUploads>;
}

const upload = z
  .object({
    id: id('attempt'),
    accountId: id('account'),
    hostname: text,
    sitemap: described(text, '`default` is the unnamed one.'),
    generation: count,
    kind: z.enum(['upload', 'rollback', 'delta']),
    urlCount: count,
    fileCount: count,
    bytes: described(count, 'Of the XML of all files.'),
    storedBytes: described(count, 'Of the files as stored.'),
    publishedAt: time,
    replacedAt: described(time.nullable(), 'Null: it is live.'),
  })
  .meta({ id: 'PublishedUpload' });

export const uploadOperations = tagged('Domains', [
  operatorOperation('get', '/operator/uploads', {
    id: 'listUploads',
    summary: 'Lists published uploads and rollbacks, the newest first',
    description: 'Replaced ones stay listed until they are no longer kept.',
    query: {
      ...PAGE_QUERY,
      account: described(text, 'Only those of the account with this id.'),
      hostname: described(text, 'Only those of domains with this hostname.'),
    },
    answer: answeredPage('A page of uploads.', upload, {
      ...{ id: 'upload_2h4c8PXeY16He1Yn79PlDs', accountId: ACCOUNT.id, hostname: STATE.hostname },
      ...{ sitemap: 'default', generation: 7, kind: 'upload', urlCount: 25_000, fileCount: 1 },
      ...{ bytes: 3_100_000, storedBytes: 240_000, publishedAt: '2026-01-15T10:30:00Z', replacedAt: null },
    }),
    async run(needs: UploadListNeeds, { request: { query }, page }) {
      const [accountId, given] = ['account', 'hostname'].map((name) => queryText(query, name));
      const hostname = given === undefined ? undefined : (canonicalHostname(given) ?? given);
      return page({
        list: `uploads ${accountId ?? ''} ${hostname ?? ''}`,
        read: (limit, after) => needs.listUploads({ accountId, hostname }, limit, after),
        positionOf: ({ position }) => position,
        show: ({ position: _position, sitemapName, gzipBytes, ...rest }) => ({
          ...withShownTimes(rest),
          ...{ sitemap: shownSitemapName(sitemapName), storedBytes: gzipBytes },
        }),
      });
    },
  }),
]);
