/** Operations of loads: uploads whose entries this service fetches (docs/decisions/0068). */
import { z } from 'zod';
import type { Load } from '../../features/uploads/loads/load.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { loadBody, parseLoad } from './load-body.ts';
import { operation, tagged } from './operation.ts';
import type { ApiReports } from './reports.ts';
import { parseSession } from './session-body.ts';
import { answered, described, id, type Shown, text } from './shapes.ts';

export interface LoadNeeds {
  readonly uploads: Pick<Uploads, 'askLoad' | 'cancelLoad'>;
  readonly reports: Pick<ApiReports, 'loadEnded'>;
}

const asked = z
  .object({
    uploadId: described(id('upload'), 'The upload that the load becomes.'),
    status: z.literal('queued'),
    statusUrl: described(text, 'A path. It shows the progress, and at last the outcome.'),
  })
  .meta({ id: 'AskedLoad' });

const canceled = z
  .object({ uploadId: id('upload'), status: z.literal('canceled') })
  .meta({ id: 'CanceledLoad' });

const UPLOAD_ID = 'upload_2c4v8PXeY16He1Yn79PlDs';

export const loadOperations = tagged('Uploads', [
  operation('post', '/api/sitemap/load', {
    id: 'loadSitemap',
    access: { actions: ['upload'], to: 'named' },
    summary: 'Fetches a list of URLs, or an existing sitemap with all its files',
    description:
      'The answer comes at once. The load then reads the sources in their order, and publishes them as one upload, or changes ' +
      'nothing. `GET /api/uploads/{id}` shows its progress, and `DELETE` cancels it. A load ends 12 hours after it began at the latest.',
    body: loadBody,
    answer: answered(202, 'The load begins soon.', asked, {
      uploadId: UPLOAD_ID,
      status: 'queued',
      statusUrl: `/api/uploads/${UPLOAD_ID}`,
    }),
    errors: {
      NOT_FOUND: 'The hostname is not registered for your account.',
      RATE_LIMIT_EXCEEDED: 'Or two loads of your account are under way.',
    },
    async run({ uploads }: LoadNeeds, { caller, members, request, showOnce }) {
      const given = await members();
      const session = parseSession(given);
      const { record, shown } = showOnce(describeAsked);
      const userAgent = request.get('user-agent')?.slice(0, 256) ?? null;
      return shown(await uploads.askLoad(caller, session, parseLoad(given), userAgent, record));
    },
  }),
  operation('delete', '/api/uploads/{id}', {
    id: 'cancelLoad',
    access: { actions: ['upload'], to: 'upload' },
    summary: 'Cancels a load',
    description: 'Nothing is published. It can be repeated. Only loads can be canceled.',
    answer: answered(200, 'The load is canceled.', canceled, { uploadId: UPLOAD_ID, status: 'canceled' }),
    errors: { NOT_FOUND: 'Your account has no such load.', CONFLICT: 'The load has ended already.' },
    async run({ uploads, reports }: LoadNeeds, { caller, path }) {
      const ageMs = await uploads.cancelLoad(caller, path.id);
      if (ageMs !== undefined) reports.loadEnded('canceled', { seconds: ageMs / 1000, urlCount: 0 });
      return { uploadId: path.id, status: 'canceled' as const };
    },
  }),
]);

function describeAsked({ id: uploadId }: Pick<Load, 'id'>): Shown<typeof asked> {
  return { uploadId, status: 'queued', statusUrl: `/api/uploads/${uploadId}` };
}
