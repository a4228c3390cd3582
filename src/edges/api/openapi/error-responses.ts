/** Describes the errors of the API in OpenAPI: a response for each code, and the codes of each operation. */
import { z } from 'zod';
import { STATUS_OF } from '../../../core/web/error-answers.ts';
import { KEY_ACTIONS } from '../../../features/accounts/key-actions.ts';
import { type Access, type DescribedOperation, type ErrorCode, takesKey } from '../operation.ts';
import { count, described, text } from '../shapes.ts';

export const ERROR_STATUSES: Readonly<Record<ErrorCode, number>> = { ...STATUS_OF, INTERNAL_ERROR: 500 };

export const violation = z
  .object({
    line: described(z.int().min(1), 'Of the body; only for forms with lines.').optional(),
    index: described(count, 'Of the entry, from 0; only for forms with lines.').optional(),
    field: described(text, 'The field that breaks a rule, as in `urls[7].loc`.'),
    value: described(z.unknown(), 'What was sent there, shortened to 256 characters; null if nothing was.'),
    message: described(text, 'The rule, for people.'),
  })
  .meta({ id: 'Violation' });

/** Violations of the same field with the same message. */
export const violationKind = z
  .object({
    field: described(text, 'As in a violation, without the positions of entries and list members.'),
    message: text,
    count,
    line: described(count, 'Of the first one; only for forms with lines.').optional(),
    index: described(count, 'The position of the entry with the first one, from 0.'),
    value: described(z.unknown(), 'The value of the first one.'),
    cures: described(
      z.array(z.object({ dates: text.optional(), timezone: text.optional() })),
      'Parameters of the upload: under each of these sets all of them are valid. Of several, only a person can choose. ' +
        '`timezone` is UTC if times lack a zone: replace it by the zone of their clock.',
    ),
  })
  .meta({ id: 'ViolationKind' });

const uploadId = text.regex(/^upload_[0-9A-Za-z]{22}$/);

/** The members of `details`, by error code. Codes without details are left out. */
const DETAILS: Readonly<Partial<Record<ErrorCode, z.ZodType>>> = {
  VALIDATION_ERROR: z.object({
    ...violation.partial().omit({ message: true }).shape,
    errors: described(z.array(violation).max(100), 'The first violations of an upload.').optional(),
    errorCount: described(count, 'All violations in the part of the upload that was read.').optional(),
    kinds: described(
      z.array(violationKind),
      'The same by field and message: how many, and the first of them. At most 20.',
    ).optional(),
    limit: described(count, 'What the plan allows.').optional(),
    used: described(count, 'What is used.').optional(),
    allowed: described(count, 'What the plan allows.').optional(),
    urlCount: described(count, 'The entries of the upload.').optional(),
    rejected: described(count, 'The entries that were rejected.').optional(),
    uploadId: uploadId.optional(),
    rejectsUrl: described(text, 'A path with all rejected entries.').optional(),
  }),
  FORBIDDEN: z.object({
    actions: described(z.array(z.enum(KEY_ACTIONS)), 'What the key lacks: one of them is enough.').optional(),
  }),
  CONFLICT: z.object({
    state: z.enum(['pending', 'first', 'unknown', 'rewritten']).optional(),
    removed: described(count, 'URLs fewer than before.').optional(),
    former: described(count, 'URLs before.').optional(),
    percent: described(z.number(), 'How much that is.').optional(),
    uploadId: described(uploadId, 'Can be published all the same.').optional(),
    field: text.optional(),
    value: z.unknown().optional(),
    generation: described(count, 'The generation that is live.').optional(),
    status: described(text, 'Of an upload session that is not open.').optional(),
    missing: described(
      z.union([count, z.array(count)]),
      'Numbers of parts that have not come, at most 100; or how many URLs of a delta are not there.',
    ).optional(),
    different: described(z.array(count), 'Numbers of parts with another digest, at most 100.').optional(),
    samples: described(z.array(text), 'Some of these URLs.').optional(),
    partCount: described(count, 'Parts that the session has.').optional(),
    urlCount: described(count, 'Entries of these parts.').optional(),
    limit: described(count, 'How many there may be.').optional(),
    schedules: described(
      z.array(z.object({ domain: text, sitemapName: text })),
      'The schedules that read by a connection; the first 20.',
    ).optional(),
  }),
};

const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'Content-Type must be application/json, in UTF-8. It is text/html.',
  UNAUTHORIZED: 'The API key is missing or not valid.',
  FORBIDDEN: 'This domain belongs to another account.',
  NOT_FOUND: 'There is no such domain.',
  METHOD_NOT_ALLOWED: 'PUT is not allowed here: use GET or POST.',
  REQUEST_TIMEOUT: 'The request body took more than 30 seconds.',
  CONFLICT: 'This hostname is registered already.',
  PAYLOAD_TOO_LARGE: 'The request body is larger than 65536 bytes.',
  VALIDATION_ERROR: 'hostnme: is not known here; did you mean hostname?',
  RATE_LIMIT_EXCEEDED: 'Too many requests: 100 a minute are allowed. Try again in 12 seconds.',
  INTERNAL_ERROR: 'Something went wrong on our side. Try again in a moment.',
  SERVICE_UNAVAILABLE: 'The service is being restarted. Nothing was published. Send it again.',
};

/** The names of headers, by error code, that an error has beside those of all errors. */
const HEADERS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  UNAUTHORIZED: ['WWW-Authenticate'],
  METHOD_NOT_ALLOWED: ['Allow'],
  CONFLICT: ['Retry-After'],
  RATE_LIMIT_EXCEEDED: ['Retry-After'],
  INTERNAL_ERROR: ['Retry-After'],
  SERVICE_UNAVAILABLE: ['Retry-After'],
};

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request, or its body, is malformed.',
  UNAUTHORIZED: 'There is no valid key.',
  FORBIDDEN: 'The account is suspended.',
  NOT_FOUND: 'There is nothing at this path.',
  METHOD_NOT_ALLOWED: 'The path does not have this method.',
  REQUEST_TIMEOUT: 'The body takes too long.',
  CONFLICT: 'It conflicts with what is there.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  VALIDATION_ERROR:
    'A member or a query parameter is unknown or breaks a rule: `details` has `field` and `value`.',
  RATE_LIMIT_EXCEEDED: 'Too many requests: `Retry-After` says when to come back.',
  INTERNAL_ERROR: 'A bug, or a dependency is down: try again.',
  SERVICE_UNAVAILABLE: 'Not now.',
};

/** The keys that an operation refuses although they have the right action. Each text is the end of a sentence. */
const LIMITED: Readonly<Partial<Record<Access['to'], string>>> = {
  account: ', or is limited to domains or sitemaps',
  'whole domain': ', or is limited to sitemaps',
  'whole domains': ', or is limited to sitemaps',
  named: ', or is limited to other sitemaps',
};

export const ERROR_CODES = Object.keys(ERROR_STATUSES) as readonly ErrorCode[];

export function errorResponse(code: ErrorCode, message = MESSAGES[code]) {
  const details = DETAILS[code];
  const error = z.object({
    code: z.literal(code),
    message: text,
    ...(details && { details: details.optional() }),
  });
  const example = { success: false, error: { code, message } };
  return {
    description: MEANINGS[code],
    headers: HEADERS[code] ?? [],
    schema: z.object({ success: z.literal(false), error }),
    example,
  };
}

/** Returns the response for errors that operations do not list, because any operation may give them. */
export function otherErrors() {
  const error = z.object({ code: z.enum(ERROR_CODES), message: text });
  return {
    description:
      'Another error: 405 `METHOD_NOT_ALLOWED`, with `Allow`; or `BAD_REQUEST` for malformed HTTP, with 400, 408, 413, ' +
      '414, 417, 431, 501 or 505.',
    headers: ['Allow'],
    schema: z.object({ success: z.literal(false), error }),
    example: { success: false, error: { code: 'METHOD_NOT_ALLOWED', message: MESSAGES.METHOD_NOT_ALLOWED } },
  };
}

/** Returns the errors of an operation with their conditions, in order of their statuses. */
export function errorsOf(operation: DescribedOperation): readonly (readonly [ErrorCode, string])[] {
  const { method, path, isPublic, access, body, errors = {} } = operation;
  const codes = new Set<ErrorCode>(['BAD_REQUEST', 'INTERNAL_ERROR']);
  const add = (...more: ErrorCode[]) => more.forEach((code) => void codes.add(code));
  if (!isPublic) add('UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED');
  // A hook looks at nothing but its address.
  if (!isPublic || method === 'get') add('VALIDATION_ERROR');
  if (access !== undefined) add('FORBIDDEN');
  if (path.includes('{')) add('NOT_FOUND');
  if (body !== undefined) add('REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE');
  if (takesKey(operation)) add('CONFLICT');
  add(...(Object.keys(errors) as ErrorCode[]));
  return [...codes]
    .sort((left, right) => ERROR_STATUSES[left] - ERROR_STATUSES[right])
    .map((code) => [code, [...reasonsFor(code, operation), errors[code] ?? ''].join(' ').trim()]);
}

function lacksOf({ access }: DescribedOperation): readonly string[] {
  if (access === undefined) return [];
  const actions = access.actions.map((action) => `\`${action}\``).join(' or ');
  return [`Or the key lacks the action ${actions}${LIMITED[access.to] ?? ''}.`];
}

/** Returns the conditions of an error that follow from the method, the path and the access of the operation. */
function reasonsFor(code: ErrorCode, operation: DescribedOperation): readonly string[] {
  const { path } = operation;
  if (code === 'NOT_FOUND' && path.startsWith('/api/domains/{id}')) return ['There is no such domain.'];
  if (code === 'FORBIDDEN') {
    const ofOthers = path.startsWith('/api/domains/{id}') ? ["Or the domain is another account's."] : [];
    return [MEANINGS.FORBIDDEN, ...lacksOf(operation), ...ofOthers];
  }
  if (code === 'NOT_FOUND' || code === 'SERVICE_UNAVAILABLE') return [];
  const isRetried = takesKey(operation);
  if (code === 'CONFLICT')
    return isRetried ? ['A request with the same `Idempotency-Key` is under way.'] : [];
  if (code === 'VALIDATION_ERROR' && isRetried) {
    return [MEANINGS[code], 'Or the `Idempotency-Key` came with another request before.'];
  }
  return [MEANINGS[code]];
}
