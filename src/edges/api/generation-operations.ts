/** Operations that list the generations of a sitemap, and roll back to one of them (spec D63). */
import { z } from 'zod';
import { givenSitemapName, shownSitemapName } from '../../core/sitemap/file-names.ts';
import { insertAuditEvent } from '../../features/accounts/audit-store.ts';
import type { Plans } from '../../features/accounts/plans.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { GenerationSummary } from '../../features/uploads/list-generations.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { RolledBack } from '../../features/uploads/publishing/roll-back.ts';
import { invalidField } from '../../platform/refusal.ts';
import { type DescribeUploadNeeds, describeUpload, uploadAnswer } from './describe-upload.ts';
import { operation, tagged } from './operation.ts';
import {
  answeredPage,
  count,
  described,
  existing,
  id,
  jsonBody,
  numbered,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from './shapes.ts';
import { parseIfGeneration, replaces } from './upload-body.ts';
import { uploaderOf } from './uploader-of.ts';

export interface GenerationNeeds extends DescribeUploadNeeds {
  readonly uploads: Pick<Uploads, 'findLiveGeneration' | 'listGenerations' | 'rollBack'>;
  readonly ownDomain: OwnDomain;
  readonly plans: Plans;
}

const generationShape = z
  .object({
    generation: count,
    kind: z.enum(['upload', 'rollback', 'delta']),
    uploadId: id('upload'),
    urlCount: count,
    filesGenerated: count,
    gzipBytes: count,
    publishedAt: time,
    live: z.boolean(),
    restores: described(count.nullable(), 'The generation that it brought back; null for an upload.'),
    canRollBack: described(z.boolean(), 'Whether its files are still kept.'),
    publishedBy: described(
      text.nullable(),
      'The name of the key or the person that uploaded it; null if it is not known.',
    ),
  })
  .meta({ id: 'Generation' });

export const generationOperations = tagged('Sitemaps', [
  operation('get', '/api/domains/{id}/sitemaps/{name}/generations', {
    id: 'listGenerations',
    access: { actions: ['read'], to: 'sitemap' },
    summary: 'Lists the generations of a sitemap, newest first',
    query: PAGE_QUERY,
    answer: answeredPage('A page of generations.', generationShape, {
      generation: 7,
      kind: 'upload',
      uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
      urlCount: 25_000,
      filesGenerated: 3,
      gzipBytes: 310_000,
      publishedAt: '2026-01-15T10:30:00Z',
      live: true,
      restores: null,
      canRollBack: false,
      publishedBy: 'Nightly export',
    }),
    errors: { NOT_FOUND: 'Or there is no such sitemap.' },
    async run({ uploads, ownDomain }: GenerationNeeds, { caller, path, page }) {
      const { id: domainId } = await ownDomain(caller.accountId, path.id);
      const sitemapName = givenSitemapName(path.name);
      existing(await uploads.findLiveGeneration(domainId, sitemapName), 'sitemap');
      return page({
        list: `generations of ${domainId}/${sitemapName}`,
        read: (limit, before) => uploads.listGenerations({ domainId, sitemapName }, limit, numbered(before)),
        positionOf: ({ seq }) => String(seq),
        show: describeGeneration,
      });
    },
  }),
  operation('post', '/api/domains/{id}/sitemaps/{name}/rollback', {
    id: 'rollBackSitemap',
    access: { actions: ['rollback'], to: 'sitemap' },
    summary: 'Brings a former generation of a sitemap back',
    description: 'It becomes a new generation.',
    body: jsonBody(
      z.strictObject({
        generation: described(z.int().min(1), 'The one to bring back.'),
        ifGeneration: replaces,
      }),
      { generation: 6, ifGeneration: 7 },
    ),
    answer: uploadAnswer,
    errors: {
      NOT_FOUND: 'Or there is no such sitemap or generation.',
      CONFLICT: 'Or the generation is no longer kept, or `ifGeneration` differs.',
    },
    async run(needs: GenerationNeeds, { caller, path, members, showOnce }) {
      const domain = await needs.ownDomain(caller.accountId, path.id);
      const sitemapName = givenSitemapName(path.name);
      const given = await members();
      const generation = parseGeneration(given.get('generation'));
      const terms = { ifGeneration: parseIfGeneration(given) };
      const uploader = uploaderOf(needs, caller);
      const { record, shown } = showOnce((back: RolledBack) =>
        describeUpload(needs, { ...back, domain, sitemapName }),
      );
      const back = await needs.uploads.rollBack(
        uploader,
        domain,
        sitemapName,
        generation,
        terms,
        async (transaction, done) => {
          await insertAuditEvent(transaction, caller, {
            ...{ action: 'sitemap.rolled_back', subject: domain.hostname },
            details: {
              domainId: domain.id,
              sitemapName: shownSitemapName(sitemapName),
              ...{ restores: generation, generation: done.generation },
            },
          });
          await record(transaction, done);
        },
      );
      return shown(back);
    },
  }),
]);

function parseGeneration(value: unknown): number {
  if (value === undefined || value === null) throw invalidField('generation', value, 'is required');
  const message = 'must be a whole number, at least 1';
  const parsed = z.int32(message).min(1, message).safeParse(value);
  if (!parsed.success) throw invalidField('generation', value, message);
  return parsed.data;
}

function describeGeneration(generation: GenerationSummary): Shown<typeof generationShape> {
  const { seq, fileCount, isLive } = generation;
  return shownAs(generationShape, {
    ...generation,
    generation: seq,
    filesGenerated: fileCount,
    live: isLive,
  });
}
