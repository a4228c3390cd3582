/** Upload sessions over the stores of an upload fixture. */
import type { AcceptedUpload } from '../../../src/features/uploads/accept-upload.ts';
import type { Allowance } from '../../../src/features/uploads/allowance.ts';
import { Attempt } from '../../../src/features/uploads/attempt.ts';
import type { UploadForm } from '../../../src/features/uploads/forms/form.ts';
import { type AcceptedPart, acceptPart } from '../../../src/features/uploads/sessions/accept-part.ts';
import { type AskedCommit, commitSession } from '../../../src/features/uploads/sessions/commit-session.ts';
import { abortSession } from '../../../src/features/uploads/sessions/end-sessions.ts';
import { openSession } from '../../../src/features/uploads/sessions/open-session.ts';
import type { SessionTerms, UploadSession } from '../../../src/features/uploads/sessions/session.ts';
import { findSession } from '../../../src/features/uploads/sessions/session-store.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { UploadFixture } from '../upload-fixture.ts';

const TERMS: SessionTerms = {
  sizeLimit: 'gsc-optimized',
  onInvalid: 'fail',
  maxRejected: 0,
  maxRejectedPercent: null,
  expectedUrlCount: null,
  placement: null,
};

interface Sender {
  readonly allowance?: Partial<Allowance>;
  /** The changed options of an upload. */
  readonly changed?: Partial<UploadFixture['options']>;
}

export function sessionsOf(fixture: UploadFixture, accountId: string, { allowance, changed }: Sender = {}) {
  const options = { ...fixture.options, ...changed };
  const uploader = () => fixture.uploaderOf(accountId, allowance);
  const partOf = async (
    sessionId: string,
    part: number,
    form: UploadForm,
    body: string | Buffer,
  ): Promise<AcceptedPart> => {
    const bytesReceived = Buffer.byteLength(body);
    const counts = { bytesReceived, urlCount: 0, fileCount: 0, rejected: 0 };
    const head = { sessionId, part, form, query: {} };
    return acceptPart(options, await uploader(), head, counts, chunksOf(body));
  };
  return {
    partOf,
    open: async (
      hostname: string,
      terms: Partial<SessionTerms> = {},
      sitemapName = '',
    ): Promise<UploadSession> =>
      openSession(options, await uploader(), { hostname, sitemapName, terms: { ...TERMS, ...terms } }),
    /** `urls` are entries, or the text of NDJSON. */
    part: async (
      sessionId: string,
      part: number,
      urls: readonly object[] | string,
    ): Promise<AcceptedPart> => {
      return typeof urls === 'string'
        ? partOf(sessionId, part, 'ndjson', urls)
        : partOf(sessionId, part, 'json', JSON.stringify({ urls }));
    },
    commit: async (
      sessionId: string,
      wanted: AskedCommit['wanted'],
      terms: Partial<AskedCommit['terms']> & { readonly dryRun?: boolean } = {},
    ): Promise<AcceptedUpload> => {
      const caller = await uploader();
      const { dryRun = false, ...others } = terms;
      const source = { encoding: null, userAgent: null, keyId: caller.keyId, userId: null };
      const attempt = new Attempt(newId('upload'), source);
      const asked = { wanted, dryRun, terms: { force: false, ifGeneration: undefined, ...others } };
      return commitSession(options, caller, attempt, sessionId, asked);
    },
    abort: async (sessionId: string) => abortSession(fixture.database, await uploader(), sessionId),
    find: (sessionId: string) => findSession(fixture.database, accountId, sessionId),
  };
}

async function* chunksOf(text: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
}
