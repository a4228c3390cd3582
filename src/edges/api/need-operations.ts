/** The operation that lists what the people of an account must do (docs/decisions/0063). */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import { requireTarget } from '../../features/accounts/key-scope.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { NEED_KINDS, SEVERITIES, TARGETS } from '../../features/needs/need.ts';
import type { NeedsRoom } from '../../features/needs/open-needs.ts';
import { showNeed } from '../../features/needs/shown-need.ts';
import { operation, tagged } from './operation.ts';
import { answered, count, described, id, text, time } from './shapes.ts';

export interface NeedNeeds {
  readonly needs: Pick<NeedsRoom, 'getDomain' | 'list' | 'listOfDomains'>;
  readonly ownDomain: OwnDomain;
}

const needShape = z
  .object({
    kind: described(z.enum(NEED_KINDS), 'The cause. A later version may have more.'),
    domain: described(
      z.object({ id: id('domain'), hostname: text }).nullable(),
      'Null: it is about the account.',
    ),
    sitemapName: described(
      text.nullable(),
      '`default` for the unnamed one; null: it is about no single sitemap.',
    ),
    uploadId: described(id('attempt').nullable(), 'The upload to look at.'),
    title: described(text, 'For people: one sentence without a full stop.'),
    detail: described(text, 'For people: the effect, or the cure.'),
    state: described(text, 'For people: a few words.'),
    severity: described(
      z.enum(SEVERITIES),
      '`bad`: something does not work. `waiting`: it still works, or nothing is lost yet.',
    ),
    target: described(z.enum(TARGETS), 'Where it is mended.'),
    since: described(time.nullable(), 'When it began; of refused uploads, the last one.'),
    deadline: described(
      time.nullable(),
      'When it gets worse: the upload is discarded, the domain removed, the certificate ends.',
    ),
  })
  .meta({ id: 'Need' });

const needsShape = z
  .object({
    needs: described(z.array(needShape).max(100), 'The most urgent first.'),
    total: described(count, 'Of all needs, those beyond the first 100 too.'),
    counts: described(
      z.array(z.object({ kind: z.enum(NEED_KINDS), count })),
      'Of all needs, for each kind that there is.',
    ),
  })
  .meta({ id: 'Needs' });

const EXAMPLE = {
  needs: [
    {
      kind: 'heldUpload',
      domain: { id: 'domain_5Tm1RrkVqL3nYQ8sWb0XcZ', hostname: 'sitemaps.example.com' },
      sitemapName: 'sale',
      uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
      title: '“sale” would lose 4,900 of its 5,000 URLs',
      detail: 'sitemaps.example.com · Upload by Nightly export, held until you decide',
      state: 'Upload held',
      severity: 'waiting',
      target: 'upload',
      since: '2026-01-15T09:40:00Z',
      deadline: '2026-01-16T09:40:00Z',
    },
  ],
  total: 1,
  counts: [{ kind: 'heldUpload', count: 1 }],
};

export const needOperations = tagged('Domains', [
  operation('get', '/api/needs', {
    id: 'listNeeds',
    access: { actions: ['read'], to: 'whole domains' },
    summary: 'Tells what needs people',
    description:
      'One entry for each cause and domain. It goes by itself when the cause does. First are those with a deadline within 14 days, ' +
      'the nearest first, then the `bad` ones, then those that wait.',
    query: { domain: described(text, 'Only of this domain: its hostname or id.') },
    answer: answered(200, 'What needs people.', needsShape, EXAMPLE),
    errors: {
      FORBIDDEN: 'The domain of this id belongs to another account.',
      NOT_FOUND: 'Your account has no such domain.',
    },
    async run({ needs, ownDomain }: NeedNeeds, { caller: { accountId, plan, scope }, request: { query } }) {
      const domain = queryText(query, 'domain');
      const find = async (given: string) =>
        given.startsWith('domain_') ? ownDomain(accountId, given) : needs.getDomain(accountId, given);
      const asked = domain === undefined ? undefined : (await find(domain)).id;
      requireTarget(scope, { domainId: asked });
      const domainIds = asked === undefined ? scope?.domainIds : [asked];
      const { needs: listed, counts } = domainIds
        ? await needs.listOfDomains(accountId, domainIds)
        : await needs.list(accountId, plan);
      const ofKinds = NEED_KINDS.flatMap((kind) => {
        const ofKind = counts[kind];
        return ofKind === undefined ? [] : [{ kind, count: ofKind }];
      });
      const total = ofKinds.reduce((sum, { count: ofKind }) => sum + ofKind, 0);
      return { needs: listed.map(showNeed), total, counts: ofKinds };
    },
  }),
]);
