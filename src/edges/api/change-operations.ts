/** Operations that show the changes of an upload (spec D49, spec D50). */
import { z } from 'zod';
import { givenSitemapName } from '../../core/sitemap/file-names.ts';
import { CHANGE_KINDS } from '../../features/changes/comparison.ts';
import type { SitemapChanges } from '../../features/changes/comparison-store.ts';
import type { Changes } from '../../features/changes/open-changes.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { Refusal } from '../../platform/refusal.ts';
import { operation } from './operation.ts';
import { LINES_TYPE } from './send-lines.ts';
import { answeredOrLines, count, described, id, JSON_TYPE, type Shown, text, time } from './shapes.ts';

export interface ChangeNeeds {
  readonly changes: Changes;
  readonly ownDomain: OwnDomain;
}

const RETRY_AFTER_SECONDS = 5;

const changedUrls = z.array(text).max(100);

const changesShape = z
  .object({
    uploadId: id('upload'),
    formerUploadId: described(id('upload').nullable(), 'The upload that it was compared with.'),
    state: z.enum(['pending', 'compared', 'first', 'unknown', 'rewritten']),
    added: described(count.nullable(), 'Null unless `compared`, like the next two.'),
    changed: count.nullable(),
    removed: count.nullable(),
    comparedAt: time.nullable(),
    samples: z.object({ added: changedUrls, changed: changedUrls, removed: changedUrls }),
  })
  .meta({ id: 'SitemapChanges' });

export const changeOperations = [
  operation({
    id: 'getSitemapChanges',
    method: 'get',
    path: '/api/domains/{id}/sitemaps/{name}/changes',
    tag: 'Sitemaps',
    summary: 'Tells which URLs the last upload changed',
    description: `With \`Accept: ${LINES_TYPE}\` it lists all of them, a line each, in no order.`,
    answer: answeredOrLines(
      'What changed.',
      changesShape,
      {
        uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
        formerUploadId: 'upload_Yn79PlDs9c4v8PXeY16He1',
        state: 'compared',
        added: 1,
        changed: 250,
        removed: 0,
        comparedAt: '2026-01-15T10:00:03Z',
        samples: {
          added: ['https://www.example.com/new'],
          changed: ['https://www.example.com/'],
          removed: [],
        },
      },
      `In each line \`loc\` and \`change\`: ${CHANGE_KINDS.join(', ')}.`,
      '{"change":"added","loc":"https://www.example.com/new"}\n',
    ),
    errors: {
      NOT_FOUND: 'Or there is no such sitemap.',
      CONFLICT: 'There is no list to read: `details.state` says why. Only for lines.',
      SERVICE_UNAVAILABLE: 'You read too many lists at once. Only for lines.',
    },
    async run({ changes, ownDomain }: ChangeNeeds, { caller, path, request, response }) {
      const domain = await ownDomain(caller.accountId, path.id);
      const found = await changes.find(domain.id, givenSitemapName(path.name));
      if (found === undefined) throw new Refusal('NOT_FOUND', 'There is no such sitemap.');
      response.vary('Accept');
      if (request.accepts([JSON_TYPE, LINES_TYPE]) !== LINES_TYPE) return describeChanges(found);
      const { uploadId, ended } = found;
      if (ended?.state !== 'compared') throw nothingToList(ended?.state);
      return changes.list(uploadId, ended.parts);
    },
  }),
];

function describeChanges({ uploadId, formerUploadId, ended }: SitemapChanges): Shown<typeof changesShape> {
  const counted = ended?.state === 'compared' ? ended.counts : { added: null, changed: null, removed: null };
  return {
    uploadId,
    formerUploadId,
    state: ended?.state ?? 'pending',
    ...counted,
    comparedAt: ended === undefined ? null : isoSeconds(ended.endedAt),
    samples: ended?.samples ?? { added: [], changed: [], removed: [] },
  };
}

const NOTHING_TO_LIST = {
  first: 'There was no upload before this one.',
  unknown: 'The former upload is not known.',
  rewritten: 'Another version of Waypost wrote the XML of the former upload.',
} as const;

function nothingToList(state: keyof typeof NOTHING_TO_LIST | undefined): Refusal {
  if (state === undefined) {
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS, details: { state: 'pending' } };
    return new Refusal('CONFLICT', 'The upload is not compared yet. Try again in a moment.', retry);
  }
  return new Refusal('CONFLICT', `${NOTHING_TO_LIST[state]} So there is no list of changes.`, {
    details: { state },
  });
}
