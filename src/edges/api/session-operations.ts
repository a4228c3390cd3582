/** Operations of upload sessions: uploads in parts, which many clients may send at once (docs/decisions/0067). */
import { z } from 'zod';
import { DEFAULT_SITEMAP } from '../../core/sitemap/file-names.ts';
import { requireJson } from '../../core/web/json-body.ts';
import { queryText } from '../../core/web/query-text.ts';
import { receiveBody } from '../../core/web/request-body.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import type { AcceptedUpload } from '../../features/uploads/accept-upload.ts';
import { rejectsPath } from '../../features/uploads/entry-judge.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { AcceptedPart } from '../../features/uploads/sessions/accept-part.ts';
import type { PartSummary } from '../../features/uploads/sessions/part-store.ts';
import { readCommit } from '../../features/uploads/sessions/read-commit.ts';
import { MAX_PARTS, noSuchSession, type UploadSession } from '../../features/uploads/sessions/session.ts';
import type { SessionFilter } from '../../features/uploads/sessions/session-store.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { invalidField } from '../../platform/refusal.ts';
import { coveredNames } from './covered-names.ts';
import { describeBeforePing, uploadAnswer } from './describe-upload.ts';
import { operation, tagged } from './operation.ts';
import { receivePart } from './receive-part.ts';
import { reportUpload } from './report-upload.ts';
import {
  commitBody,
  PART_EXAMPLE,
  parseSession,
  partForms,
  partMembers,
  sessionBody,
} from './session-body.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  id,
  numbered,
  PAGE_QUERY,
  type Shown,
  text,
  time,
} from './shapes.ts';
import { dialectQuery, dialectShape, encodingHeader } from './upload-body.ts';
import { beginAttempt, type UploadNeeds } from './upload-operations.ts';
import { uploaderOf } from './uploader-of.ts';

export interface SessionNeeds extends UploadNeeds {
  readonly uploads: Uploads;
  readonly ownDomain: OwnDomain;
}

const status = z.enum(['open', 'committing', 'committed', 'held', 'aborted', 'expired']);
const session = z
  .object({
    id: id('session'),
    status: described(status, '`open` takes parts. `held`: the guard of the domain stopped the commit.'),
    domain: described(text, 'The hostname.'),
    sitemapName: described(text, 'Absent for the unnamed sitemap.').optional(),
    uploadId: described(id('upload'), 'The upload that the commit publishes.'),
    createdAt: time,
    expiresAt: described(time, 'Each part puts it off. Absent once the session has ended.').optional(),
    maxParts: described(count, 'The highest number of a part.'),
    parts: described(count, 'Parts so far.'),
    urlCount: described(count, 'Entries of all parts so far.'),
    bytes: described(count, 'Of their files, compressed.'),
    generation: described(count, 'Of a committed session.').optional(),
  })
  .meta({ id: 'UploadSession' });

const SESSION: Shown<typeof session> = {
  id: 'session_9c4v8PXeY16He1Yn79PlDs',
  status: 'open',
  domain: 'sitemaps.example.com',
  sitemapName: 'products',
  uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs',
  createdAt: '2026-01-15T10:30:00Z',
  expiresAt: '2026-01-16T10:30:00Z',
  maxParts: MAX_PARTS,
  parts: 0,
  urlCount: 0,
  bytes: 0,
};

const summary = z.object(partMembers).meta({ id: 'SessionPart' });
const received = z
  .object({
    ...partMembers,
    rejectsUrl: described(text, 'A path with the rejected entries, if there are any.').optional(),
    dialect: described(
      dialectShape,
      'What the body was read as; absent if there is nothing to tell.',
    ).optional(),
    warnings: described(z.array(text), 'For people: what was ignored, left out or completed.').optional(),
  })
  .meta({ id: 'ReceivedPart' });

const NOT_OPEN = 'The session is not open: `status` says what it is.';
const UNKNOWN = 'Your account has no such upload session, or its domain is gone.';
/** 10,000 parts with their digests take 600 KB. */
const COMMIT_LIMITS = { maxBytes: 2 * 1024 * 1024, timeoutMs: 30_000 };

export const sessionOperations = tagged('Uploads', [
  operation('post', '/api/upload-sessions', {
    id: 'openUploadSession',
    access: { actions: ['upload'], to: 'named' },
    summary: 'Opens an upload that comes in parts',
    description:
      'Many writers send the parts at once, each to any process. The commit publishes them as one generation. A session ends 24 ' +
      'hours after its last part, and 7 days after it was opened.',
    body: sessionBody,
    answer: answered(201, 'The session is open.', session, SESSION),
    errors: {
      NOT_FOUND: 'The hostname is not registered for your account.',
      CONFLICT: 'Or your account has 3 open sessions already.',
    },
    async run(needs: SessionNeeds, { caller, members, showOnce }) {
      const asked = parseSession(await members());
      const { record, shown } = showOnce(describeSession);
      return shown(await needs.uploads.openSession(caller, asked, record));
    },
  }),
  operation('get', '/api/domains/{id}/upload-sessions', {
    id: 'listUploadSessions',
    access: { actions: ['read', 'upload'], to: 'sitemaps' },
    summary: 'Lists the upload sessions of a domain, the newest first',
    description: 'Those that have ended are listed for 14 days. Loads are in the list of uploads.',
    query: {
      ...PAGE_QUERY,
      sitemap: described(text, 'Only those of this sitemap; `default` is the unnamed one.'),
      status: described(status, 'Only those with this status.'),
    },
    answer: answeredPage('A page of sessions.', session, SESSION),
    async run({ uploads, ownDomain }: SessionNeeds, { caller, path, request: { query }, page }) {
      const { id: domainId } = await ownDomain(caller.accountId, path.id);
      const filter = parseFilter(query, caller.scope?.sitemapNames ?? null);
      return page({
        list: `sessions of ${domainId} ${JSON.stringify(filter)}`,
        read: (limit, after) => uploads.listSessions(domainId, filter, limit, after),
        positionOf: ({ position }) => position,
        show: describeSession,
      });
    },
  }),
  operation('get', '/api/upload-sessions/{id}', {
    id: 'getUploadSession',
    access: { actions: ['read', 'upload'], to: 'session' },
    summary: 'Shows an upload session',
    answer: answered(200, 'The session.', session, SESSION),
    errors: { NOT_FOUND: UNKNOWN },
    async run({ uploads }: SessionNeeds, { caller, path }) {
      return describeSession(await getSession(uploads, caller.accountId, path.id));
    },
  }),
  operation('delete', '/api/upload-sessions/{id}', {
    id: 'abortUploadSession',
    access: { actions: ['upload'], to: 'session' },
    summary: 'Ends an upload session without a commit',
    description: 'Its files are deleted. It can be repeated.',
    answer: answered(200, 'The session is aborted.', session, { ...SESSION, status: 'aborted' }),
    errors: { NOT_FOUND: UNKNOWN, CONFLICT: 'The session is committed, or is being committed.' },
    async run({ uploads }: SessionNeeds, { caller, path }) {
      return describeSession(await uploads.abortSession(caller, path.id));
    },
  }),
  operation('put', '/api/upload-sessions/{id}/parts/{part}', {
    id: 'putPart',
    access: { actions: ['upload'], to: 'session' },
    summary: 'Sends a part of an upload session',
    description:
      'A part replaces the one of its number as a whole, or changes nothing. Its entries may come in any form, and it may be empty. ' +
      'The sitemap has the parts in the order of their numbers, from 1 to 10,000.',
    query: dialectQuery,
    headers: {
      ...encodingHeader,
      'Content-Digest': described(
        text,
        'The digest of the body as it is sent (RFC 9530), as in `sha-256=:…:`. It is checked.',
      ),
    },
    body: { description: 'The entries, in one of five forms.', content: partForms },
    answer: answered(200, 'The part is stored.', received, PART_EXAMPLE),
    errors: {
      UNAUTHORIZED: 'Also if the key was revoked, or has expired, meanwhile.',
      NOT_FOUND: UNKNOWN,
      CONFLICT: NOT_OPEN,
      VALIDATION_ERROR: 'Or an entry breaks a rule, or the plan has no room. The session lives on.',
      RATE_LIMIT_EXCEEDED: 'Or 64 parts of your account are under way.',
      SERVICE_UNAVAILABLE: 'The process ends, and the body was not complete in time. Nothing was stored.',
    },
    async run(needs: SessionNeeds, { caller, path, request, response }) {
      return describePart(await receivePart(needs, caller, path, request, response));
    },
  }),
  operation('get', '/api/upload-sessions/{id}/parts', {
    id: 'listParts',
    access: { actions: ['read', 'upload'], to: 'session' },
    summary: 'Lists the parts of an upload session in the order of their numbers',
    description: 'Parts of sessions that have ended are listed no more.',
    query: PAGE_QUERY,
    answer: answeredPage('A page of parts.', summary, PART_EXAMPLE),
    errors: { NOT_FOUND: UNKNOWN },
    async run({ uploads }: SessionNeeds, { caller: { accountId }, path, page }) {
      const { id: sessionId, status } = await getSession(uploads, accountId, path.id);
      const isAlive = status === 'open' || status === 'committing';
      return page({
        list: `parts of ${sessionId}`,
        read: async (limit, after) =>
          isAlive ? uploads.listParts(sessionId, limit, numbered(after) ?? 0) : [],
        positionOf: ({ part }) => String(part),
        show: summaryOf,
      });
    },
  }),
  operation('post', '/api/upload-sessions/{id}/commit', {
    id: 'commitUploadSession',
    access: { actions: ['upload'], to: 'session' },
    summary: 'Publishes the parts of an upload session as one generation',
    description:
      'Name the parts with the digests of their answers, or give the number of all parts and of their entries. Parts that are not ' +
      'named are left out. It can be repeated: the answer is the same.',
    body: commitBody,
    answer: uploadAnswer,
    errors: {
      NOT_FOUND: UNKNOWN,
      CONFLICT:
        'Or the session is not open, parts are `missing` or `different`, the guard of the domain holds the upload, or `ifGeneration` differs.',
      VALIDATION_ERROR: 'Or too many entries were rejected, or the plan has no room. The session lives on.',
    },
    async run(needs: SessionNeeds, { caller, path, request, response, showOnce }) {
      const { uploads } = needs;
      requireJson(request);
      const uploader = uploaderOf(needs, caller);
      const attempt = beginAttempt(uploads.newId('upload'), caller, request);
      const { record, shown } = showOnce((upload: AcceptedUpload) => describeCommitted(needs, upload));
      const upload = await reportUpload(needs, response, attempt, async () => {
        const asked = await readCommit(receiveBody(request, response, COMMIT_LIMITS));
        response.locals.uploadId = attempt.id;
        return uploads.commitSession(uploader, attempt, path.id, asked, record);
      });
      return shown(upload);
    },
  }),
]);

async function getSession(
  uploads: SessionNeeds['uploads'],
  accountId: string,
  sessionId: string,
): Promise<UploadSession> {
  const found = await uploads.findSession(accountId, sessionId);
  if (found === undefined) throw noSuchSession();
  return found;
}

/** `covered`: the sitemaps of the key; null if it is not limited to any. Throws Refusal VALIDATION_ERROR. */
function parseFilter(
  query: Readonly<Record<string, unknown>>,
  covered: readonly string[] | null,
): SessionFilter {
  const name = queryText(query, 'sitemap');
  const asked = queryText(query, 'status');
  const parsed = status.optional().safeParse(asked);
  if (!parsed.success) throw invalidField('status', asked, `must be one of ${status.options.join(', ')}`);
  return { sitemapNames: coveredNames(name, covered), status: parsed.data ?? null };
}

function describeSession(found: UploadSession): Shown<typeof session> {
  const { status, hostname, sitemapName, createdAt, expiresAt, published } = found;
  return {
    ...{ id: found.id, status, domain: hostname },
    ...(sitemapName !== DEFAULT_SITEMAP && { sitemapName }),
    uploadId: found.uploadId,
    createdAt: isoSeconds(createdAt),
    ...(expiresAt !== null && status !== 'expired' && { expiresAt: isoSeconds(expiresAt) }),
    ...{ maxParts: MAX_PARTS, parts: found.parts, urlCount: found.urlCount, bytes: found.gzipBytes },
    ...(published !== null && { generation: published.generation }),
  };
}

type DescribedPart = Pick<PartSummary, 'part' | 'digest' | 'urlCount' | 'rejected' | 'gzipBytes'>;

function summaryOf({ part, digest, urlCount, rejected, gzipBytes }: DescribedPart) {
  return { part, digest, urlCount, rejected, bytes: gzipBytes };
}

function describePart(part: AcceptedPart): Shown<typeof received> {
  const { dialect, warnings, rejected, writerId } = part;
  return {
    ...summaryOf(part),
    ...(rejected > 0 && { rejectsUrl: rejectsPath(writerId) }),
    ...(dialect !== undefined && { dialect }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Describes the upload without `rejectsUrl`, because each part has its own list of rejected entries. */
function describeCommitted(needs: SessionNeeds, upload: AcceptedUpload) {
  const { rejectsUrl: _, ...shown } = describeBeforePing(needs, upload);
  return shown;
}
