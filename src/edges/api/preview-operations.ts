/** The operation that previews an upload (docs/decisions/0062). */
import { z } from 'zod';
import { type BodyLimits, receiveBody } from '../../core/web/request-body.ts';
import { smallBodyBytes } from '../../core/web/small-body.ts';
import type { UploadSlots } from '../../features/accounts/upload-slots.ts';
import { DELIMITERS } from '../../features/uploads/forms/dialect.ts';
import { UPLOAD_FORMS } from '../../features/uploads/forms/form.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { mostBytes, type PreviewQuery } from '../../features/uploads/preview-upload.ts';
import { UPLOAD_PARAMETERS } from '../../features/uploads/upload-members.ts';
import { readBodyType } from './body-type.ts';
import { violation } from './openapi/error-responses.ts';
import { operation, tagged } from './operation.ts';
import { answered, count, described, text } from './shapes.ts';
import { dialectQuery, dialectShape, uploadForms } from './upload-body.ts';

export interface PreviewNeeds {
  readonly uploads: Pick<Uploads, 'preview'>;
  readonly uploadLimits: BodyLimits;
  readonly uploadSlots: Pick<UploadSlots, 'holdPreview'>;
}

/** A body comes within this time. It is in memory until then, so a slow client must not hold it for long. */
const BODY_TIMEOUT_MS = 120_000;

const preview = z
  .object({
    form: z.enum(UPLOAD_FORMS),
    dialect: described(dialectShape, 'As in the answer of an upload.').optional(),
    header: described(
      z.array(text),
      'The names in the header of CSV, or of the columns of Parquet.',
    ).optional(),
    rows: described(
      z.array(z.object({ line: count.optional(), entry: z.unknown(), violations: z.array(violation) })),
      'The first 20 entries, as they would be published. An invalid one is shown as it was read.',
    ),
    document: described(
      z.object(Object.fromEntries(UPLOAD_PARAMETERS.map((name) => [name, z.unknown().optional()]))),
      'The members of a JSON document before its entries, and behind them as far as it was read.',
    ).optional(),
    table: described(
      z.object({
        delimiter: described(
          z.enum(Object.keys(DELIMITERS)),
          'Of CSV, also if it is only likely.',
        ).optional(),
        columns: z.array(
          z.object({
            name: described(text, 'In the header. Without a header the position, from 1.'),
            values: described(z.array(text), 'The first ones that are not empty.'),
            member: described(
              text,
              'What it seems to be, as in `loc`. Several columns may seem to be `loc`.',
            ).optional(),
          }),
        ),
      }),
      'The columns of CSV, also if it cannot be read yet, or the members of JSON objects without `loc`.',
    ).optional(),
    refusal: described(
      z.object({ code: text, field: text.optional(), message: text }),
      'Why an upload would be refused, apart from invalid entries.',
    ).optional(),
    suggestions: described(
      z.object({
        columns: text.optional(),
        header: text.optional(),
        delimiter: text.optional(),
        escape: text.optional(),
        quote: text.optional(),
        charset: text.optional(),
        decimal: text.optional(),
        dates: text.optional(),
        timezone: text.optional(),
      }),
      'Parameters that may be missing. They are guesses.',
    ),
    warnings: described(z.array(text), 'As in the answer of an upload.'),
  })
  .meta({ id: 'Preview' });

const PREVIEW = {
  form: 'csv',
  dialect: {
    delimiter: 'semicolon',
    columns: [{ member: 'loc', name: 'URL' }],
    ignored: ['Title'],
    ignoredCount: 1,
  },
  header: ['URL', 'Title'],
  table: {
    delimiter: 'semicolon',
    columns: [
      { name: 'URL', values: ['https://www.example.com/a'], member: 'loc' },
      { name: 'Title', values: ['A'] },
    ],
  },
  rows: [{ line: 2, entry: { loc: 'https://www.example.com/a' }, violations: [] }],
  suggestions: {},
  warnings: ['1 column is ignored: Title.'],
};

export const previewOperations = tagged('Uploads', [
  operation('post', '/api/uploads/preview', {
    id: 'previewUpload',
    access: { actions: ['upload'], to: 'nothing' },
    summary: 'Shows what the beginning of a body would become',
    description:
      'Takes the first 64 KiB of a body at most. Of a body of this length the last record is left out. A Parquet file must be whole, and ' +
      'have 4 MiB at most. Nothing is stored or published. `suggestions` are parameters for the same request, and for the upload.',
    query: dialectQuery,
    body: { description: 'The beginning of the body of an upload.', content: uploadForms },
    answer: answered(200, 'The beginning as it was read.', preview, PREVIEW),
    errors: { RATE_LIMIT_EXCEEDED: 'Or too many previews are under way.' },
    async run({ uploads, uploadLimits, uploadSlots }: PreviewNeeds, { request, response, caller }) {
      const { accountId } = caller;
      const { form, query } = readBodyType(request);
      const { minimum: _, ...others } = uploadLimits;
      const limits = { ...others, maxBytes: mostBytes(form), timeoutMs: BODY_TIMEOUT_MS };
      // Take the memory before the body: a refused client that waits for 100 Continue never sends its body.
      return uploadSlots.holdPreview(accountId, smallBodyBytes(request) ?? limits.maxBytes, async () => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of receiveBody(request, response, limits)) chunks.push(chunk);
        return uploads.preview(accountId, form, query as PreviewQuery, Buffer.concat(chunks));
      });
    },
  }),
]);
