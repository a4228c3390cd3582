/**
 * Sends a file as an upload, and finds out its outcome.
 *
 * A browser may lose an answer that comes before the whole request is sent, and may then send the request again on its own. The network may
 * also fail for a while. So each upload has a token, and the page asks the server for the outcome by this token:
 *
 *   own answer below 500              the outcome
 *   own answer from 500               ask once by the token: the publication may be recorded. If not, the own answer is the outcome
 *   `ended`, by the token             the outcome; our request is aborted
 *   `running`, or no connection       ask again
 *   the session has another account   ask again: the service goes on, and another tab may switch back
 *   three times `unknown`, own lost   the request never arrived: nothing was published
 *   no connection, and cancelled      the outcome is not known
 */
import type { Upload } from '../../client/src/answers.ts';
import type { AttemptOutcome } from '../../src/edges/dashboard/wire.ts';
import { pause } from './pause.ts';
import { ApiError, comesBack, get, readEnvelope } from './request.ts';
import { shownAccountHeader } from './shown-account.ts';

export interface UploadRequest {
  readonly file: Blob;
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Null if the file is not compressed. */
  readonly encoding: string | null;
}

export interface UploadWatch {
  /** Ends our request when it aborts. The upload may have been published before that. */
  readonly cancelled: AbortSignal;
  /** Called after each question about the outcome: whether the server has answered. */
  reachable(isReachable: boolean): void;
}

/** The pause before the next question: while our request is under way, and after it was lost. */
const ASK_MS = { sending: 2000, lost: 1000 };
/** The longest pause while the session has another account. Each question counts towards the limit of the person. */
const MAX_HIDDEN_MS = 30_000;
/**
 * The number of answers `unknown` after which a lost request counts as never arrived. The request may reach the server after the first
 * question.
 */
const MAX_UNKNOWN = 3;

/** How often an upload is sent again for another session without a question. */
const MOST_SESSIONS = 3;

/** Throws ApiError. */
export async function sendUpload(request: UploadRequest, watch: UploadWatch): Promise<Upload> {
  await refuseUnreadable(request.file);
  const token = newToken();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, watch.cancelled]);
  const own: OwnRequest = { ended: postSignedIn(request, token, signal) };
  void own.ended.then((result) => {
    own.result = result;
  });
  try {
    return await settle(token, own, watch);
  } catch (error) {
    // The most common cause of a broken request is that a person saves the file during the upload.
    if (own.result instanceof ApiError && !watch.cancelled.aborted) await refuseUnreadable(request.file);
    throw error;
  } finally {
    stop.abort();
  }
}

interface OwnRequest {
  readonly ended: Promise<OwnAnswer | ApiError>;
  /** Undefined while the request is under way. */
  result?: OwnAnswer | ApiError;
}

interface OwnAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends the request again if its session has ended meanwhile. A long upload may end after the person has signed in in another tab, so first
 * look for a session, and only then wait for one.
 */
async function postSignedIn(request: UploadRequest, token: string, signal: AbortSignal) {
  for (let attempt = 1; ; attempt++) {
    const result = await post(request, token, signal);
    if (result instanceof ApiError || result.status !== 401) return result;
    const isSignedIn = attempt <= MOST_SESSIONS && (await hasSession(signal));
    if (!isSignedIn && !(await comesBack(result.status))) return result;
  }
}

function hasSession(signal: AbortSignal): Promise<boolean> {
  return get('session', signal).then(
    () => true,
    () => false,
  );
}

/** Resolves to an ApiError if the request was lost, if the browser has sent it twice, or if the answer does not come from Waypost. */
async function post(
  { file, query, contentType, encoding }: UploadRequest,
  token: string,
  signal: AbortSignal,
): Promise<OwnAnswer | ApiError> {
  try {
    const response = await fetch(`/dashboard/api/sitemap/generate?${query}`, {
      method: 'POST',
      body: file,
      headers: {
        'Content-Type': contentType,
        'Waypost-Attempt': token,
        ...shownAccountHeader(),
        ...(encoding && { 'Content-Encoding': encoding }),
      },
      signal,
    });
    const answer = { status: response.status, text: await response.text() };
    return unusable(answer) ?? answer;
  } catch {
    return new ApiError(
      0,
      'UNREACHABLE',
      'The connection was lost before the file had arrived. Upload it again.',
    );
  }
}

/**
 * Returns the error of an answer that does not tell the outcome: a proxy gave it, or it refuses a request that the browser has sent twice.
 */
function unusable({ status, text }: OwnAnswer): ApiError | undefined {
  try {
    readEnvelope(status, text);
  } catch (error) {
    const { code, details } = error as ApiError;
    if (code === 'UNREADABLE' || details.field === 'Waypost-Attempt') return error as ApiError;
  }
  return undefined;
}

async function settle(
  token: string,
  own: OwnRequest,
  { cancelled, reachable }: UploadWatch,
): Promise<Upload> {
  let hiddenMs = 0;
  for (let unknown = 0; ; ) {
    await Promise.race([own.ended, pause(Math.max(ASK_MS.sending, hiddenMs))]);
    const { result } = own;
    const isLost = result instanceof ApiError;
    if (result !== undefined && !isLost && result.status < 500) return read(result);
    const outcome = await askOutcome(token);
    reachable(outcome !== undefined);
    hiddenMs = outcome === HIDDEN ? Math.min(MAX_HIDDEN_MS, 2 * hiddenMs || ASK_MS.lost) : 0;
    if (outcome?.state === 'ended') return read(outcome);
    if (result === undefined) continue;
    if (!isLost) return read(result);
    if (outcome?.state === 'unknown') unknown++;
    if (unknown === MAX_UNKNOWN) throw result;
    const isTold = outcome !== undefined && outcome !== HIDDEN;
    if (!isTold && cancelled.aborted) throw unsure();
    await pause(Math.max(ASK_MS.lost, hiddenMs));
  }
}

const HIDDEN = { state: 'hidden' } as const;

function read(answer: OwnAnswer | AttemptOutcome): Upload {
  const text = 'text' in answer ? answer.text : JSON.stringify(answer.answer);
  return readEnvelope<Upload>(answer.status ?? 0, text).data;
}

/**
 * Returns the outcome by the token. While another tab has switched the session to another account, the service does not tell the outcome:
 * returns `hidden`. Undefined if there is no answer now. Throws ApiError if there will be none.
 */
async function askOutcome(token: string): Promise<AttemptOutcome | typeof HIDDEN | undefined> {
  try {
    return await get<AttemptOutcome>(`attempts/${token}`);
  } catch (error) {
    const { status, details } = error as ApiError;
    if (details.field === 'Waypost-Account') return HIDDEN;
    // After a 401, the person may sign in again. Then the request goes on.
    if (status === 0 || status === 401 || status === 429 || status >= 500) return undefined;
    throw error;
  }
}

/** Throws ApiError if the file cannot be read, because it was saved or removed after it was chosen. */
async function refuseUnreadable(file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new ApiError(
      0,
      'FILE_CHANGED',
      'The file has changed since you chose it, or it is gone. Choose it again.',
    );
  }
}

function unsure(): ApiError {
  const message =
    "Waypost can't be reached, so it isn't known whether the upload was published before you cancelled it.";
  return new ApiError(0, 'UNSURE', message);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_LENGTH = 22;

function newToken(): string {
  let token = '';
  while (token.length < TOKEN_LENGTH) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    // The numbers 62 and 63 have no character and are skipped, so that each character is equally likely.
    token += ALPHABET[byte! & 63] ?? '';
  }
  return token;
}
