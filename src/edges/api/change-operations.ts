/** Operations that show which URLs a live or a held upload changes, and how two kept generations differ (spec D49, spec D50). */
import { z } from 'zod';
import type { EntryField } from '../../core/sitemap/entry-fields.ts';
import { givenSitemapName, shownSitemapName } from '../../core/sitemap/file-names.ts';
import { goneSignal } from '../../core/web/gone-signal.ts';
import type { ComparedNow } from '../../features/changes/compare-now.ts';
import { CHANGE_KINDS } from '../../features/changes/comparison.ts';
import type { SitemapChanges } from '../../features/changes/comparison-store.ts';
import type { Changes } from '../../features/changes/open-changes.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { formOf, formQuery } from './answer-form.ts';
import { changesCsv } from './changes-csv.ts';
import { type Lines, operation, tagged } from './operation.ts';
import { LINES_TYPE } from './send-lines.ts';
import { answeredOrLines, count, described, existing, id, orCsv, type Shown, text, time } from './shapes.ts';

export interface ChangeNeeds {
  readonly changes: Changes;
  readonly ownDomain: OwnDomain;
}

const RETRY_AFTER_SECONDS = 5;
const FORMS = ['json', 'ndjson', 'csv'] as const;

const generation = z.int().min(1);
const changedUrls = z.array(text).max(100);

const fieldsShape = described(
  z.object({
    lastmod: text.optional(),
    changefreq: text.optional(),
    priority: text.optional(),
    images: text.optional(),
    alternates: text.optional(),
    videos: text.optional(),
    news: text.optional(),
  } satisfies Record<EntryField, z.ZodType>),
  'The fields that differ. Images, videos and news are told by their number, alternates by their languages.',
);

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
    details: described(
      z.array(z.object({ loc: text, from: fieldsShape, to: fieldsShape })).max(100),
      'With `from`: what changed in up to 100 changed entries. Empty if over 100,000 URLs changed.',
    ).optional(),
  })
  .meta({ id: 'SitemapChanges' });

const OF_LINES =
  `In each line \`loc\` and \`change\`: ${CHANGE_KINDS.join(', ')}. With \`from\` in the query or for a held upload, and up to 100,000 ` +
  'changes, also `from` and `to`: the fields that differ, or all of an added or removed entry.';
const LINE = '{"change":"added","loc":"https://www.example.com/new"}\n';
const OF_ROWS =
  'A row for each change, with its fields as they were and as they are, unless over 100,000 URLs changed.';
const ROWS =
  'change,loc,lastmod_from,lastmod_to\r\n"changed","https://www.example.com/","2026-01-12","2026-01-15"\r\n';

const HELD_CHANGES = {
  uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
  formerUploadId: 'upload_Yn79PlDs9c4v8PXeY16He1',
  state: 'compared',
  added: 0,
  changed: 0,
  removed: 1,
  comparedAt: '2026-01-15T10:00:03Z',
  samples: { added: [], changed: [], removed: ['https://www.example.com/old'] },
  details: [],
};

export const changeOperations = [
  ...tagged('Sitemaps', [
    operation('get', '/api/domains/{id}/sitemaps/{name}/changes', {
      id: 'getSitemapChanges',
      access: { actions: ['read'], to: 'sitemap' },
      summary: 'Tells which URLs the last upload changed',
      description:
        `With \`Accept: ${LINES_TYPE}\` it lists all of them, a line each, in no order. With \`from\` it compares two kept ` +
        'generations while you wait.',
      query: {
        from: described(generation, 'A kept generation, to be compared with `to`.'),
        to: described(generation, 'A kept generation; without it, the live one.'),
        form: formQuery(FORMS),
      },
      answer: orCsv(
        answeredOrLines(
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
          OF_LINES,
          LINE,
        ),
        OF_ROWS,
        ROWS,
      ),
      errors: {
        NOT_FOUND: 'Or there is no such sitemap.',
        CONFLICT:
          'There is no list to read: `details.state` says why. Only for lines. Or a generation is no longer kept.',
        VALIDATION_ERROR: 'Or `from` or `to` is no number of a generation.',
        SERVICE_UNAVAILABLE: 'You read too many lists at once. Only for lines.',
      },
      async run({ changes, ownDomain }: ChangeNeeds, { caller, path, request, response }) {
        const { accountId } = caller;
        const { id: domainId, hostname } = await ownDomain(accountId, path.id);
        const sitemapName = givenSitemapName(path.name);
        const form = formOf(request, response, FORMS);
        const isListed = form !== 'json';
        const { from, to } = parseGenerations(request.query);
        const found: FoundChanges | undefined =
          from === undefined
            ? await changes.find(domainId, sitemapName)
            : await changes.compare(
                { accountId, domainId, sitemapName, from, to, isListed },
                goneSignal(response),
              );
        return answerIn(form, changes, existing(found, 'sitemap'), `changes-${hostname}-${path.name}.csv`);
      },
    }),
  ]),
  ...tagged('Uploads', [
    operation('get', '/api/uploads/{id}/changes', {
      id: 'getUploadChanges',
      access: { actions: ['read', 'upload'], to: 'upload' },
      summary: 'Tells which URLs a held upload would change',
      description: `It is compared with the live upload while you wait. With \`Accept: ${LINES_TYPE}\` it lists all of them, a line each.`,
      query: { form: formQuery(FORMS) },
      answer: orCsv(
        answeredOrLines('What it would change.', changesShape, HELD_CHANGES, OF_LINES, LINE),
        OF_ROWS,
        ROWS,
      ),
      errors: {
        NOT_FOUND: 'Your account has no such held upload.',
        CONFLICT: 'It is no longer held, or there is no list to read: `details.state` says why.',
        SERVICE_UNAVAILABLE: 'You read too many lists at once. Only for lines.',
      },
      async run({ changes }: ChangeNeeds, { caller: { accountId }, path, request, response }) {
        const form = formOf(request, response, FORMS);
        const isListed = form !== 'json';
        const found = await changes.compareHeld(
          { accountId, uploadId: path.id, isListed },
          goneSignal(response),
        );
        const { hostname, sitemapName } = found;
        return answerIn(form, changes, found, `held-${hostname}-${shownSitemapName(sitemapName)}.csv`);
      },
    }),
  ]),
];

/** Throws Refusal. */
function parseGenerations(query: Readonly<Record<string, unknown>>) {
  const numberOf = (name: string) => {
    if (query[name] === undefined) return undefined;
    const text = query[name];
    if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw invalidField(name, text, 'must be the number of a generation');
  };
  const [from, to] = [numberOf('from'), numberOf('to')];
  if (to !== undefined && from === undefined) throw invalidField('from', undefined, 'is required with to');
  return { from, to };
}

type FoundChanges = SitemapChanges & Partial<ComparedNow>;

/** Answers the changes, or the list of them. `csvName`: the name of a list in CSV. Throws Refusal if there is no list. */
function answerIn(
  form: (typeof FORMS)[number],
  changes: Changes,
  found: FoundChanges,
  csvName: string,
): Shown<typeof changesShape> | Lines {
  if (form === 'json') return describeChanges(found);
  const { uploadId, listId = uploadId, ended } = found;
  if (ended?.state !== 'compared') throw nothingToList(ended?.state);
  const lines = changes.list(listId, ended.parts);
  return form === 'csv' ? changesCsv(csvName, lines) : lines;
}

function describeChanges({
  uploadId,
  formerUploadId,
  ended,
  details,
}: FoundChanges): Shown<typeof changesShape> {
  const counted = ended?.state === 'compared' ? ended.counts : { added: null, changed: null, removed: null };
  return {
    uploadId,
    formerUploadId,
    state: ended?.state ?? 'pending',
    ...counted,
    comparedAt: ended === undefined ? null : isoSeconds(ended.endedAt),
    samples: ended?.samples ?? { added: [], changed: [], removed: [] },
    ...(details && { details: details.map(({ loc, from = {}, to = {} }) => ({ loc, from, to })) }),
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
