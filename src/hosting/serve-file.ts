/**
 * The journey of a crawler's request, from its headers to an answer:
 *
 *   check the request → parse Host and path → find the site → find the file → choose the encoding
 *   → see whether the client has it already → cut the range → open the body
 *
 * It decides everything and sends nothing: that is `send-answer.ts`.
 */
import type { IncomingMessage } from 'node:http';
import { askedHost, requestFlaw, targetPath } from '../platform/http/request-flaw.ts';
import { chooseEncoding } from './answer/accept-encoding.ts';
import type { Answer } from './answer/answer.ts';
import { chooseRange, contentRange } from './answer/byte-range.ts';
import { closingAnswer, plainAnswer } from './answer/plain-answer.ts';
import { judgeIfRange, judgePreconditions } from './answer/preconditions.ts';
import { type Representation, type Representations, robotsRepresentation } from './answer/representation.ts';
import type { Stylesheet } from './answer/stylesheet.ts';
import { type Soon, whenThere } from './bodies/soon.ts';
import { ObjectGone, type StoredObjects } from './bodies/stored-objects.ts';
import { findFile } from './lookup/find-file.ts';
import type { KnownSite, KnownSites } from './lookup/known-sites.ts';
import { parseHost } from './lookup/parse-host.ts';
import { type AskedFile, parsePath } from './lookup/parse-path.ts';

export interface ServeFileOptions {
  readonly sites: KnownSites;
  readonly objects: StoredObjects;
  readonly representations: Representations;
  readonly stylesheet: Stylesheet;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Throws StoreUnavailable, Busy, or ObjectGone where a file that must exist cannot be had: all mean 503. */
export async function serveFile(request: IncomingMessage, needs: ServeFileOptions): Promise<Answer> {
  const flaw = requestFlaw(request);
  if (flaw !== undefined) return closingAnswer(flaw.status);
  if (expectsMore(request)) return closingAnswer(417);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (announcesBody(request)) return closingAnswer(isRead ? 400 : 405);
  if (!isRead) return plainAnswer(405);

  const path = targetPath(request.url ?? '');
  // Health checks come by IP address or by a service name, so they are answered on every host.
  if (path === '/healthz') return plainAnswer(200);
  const asked = parsePath(path);
  const hostname = parseHost(askedHost(request));
  if (asked === undefined || hostname === undefined) return plainAnswer(404);

  const found = needs.sites.find(hostname, request.socket);
  const site = found instanceof Promise ? await found : found;
  try {
    return await answerFromSite(site, asked, request, needs);
  } catch (error) {
    if (!(error instanceof ObjectGone) || site === undefined) throw error;
    // A publish since we read site.json may have let the objects go that it named. Once, we look again.
    const newer = await needs.sites.findAgain(hostname, site);
    if (newer === site) throw error;
    return answerFromSite(newer, asked, request, needs);
  }
}

async function answerFromSite(
  site: KnownSite | undefined,
  asked: AskedFile,
  request: IncomingMessage,
  needs: ServeFileOptions,
): Promise<Answer> {
  if (site === undefined) return plainAnswer(404);
  const selected = selectRepresentation(site, asked, request, needs);
  const representation = selected instanceof Promise ? await selected : selected;
  if (representation === 'no such file') return plainAnswer(404);
  if (representation === 'not acceptable') return plainAnswer(406);

  const verdict = judgePreconditions(request.headers, representation);
  if (verdict === 412) return plainAnswer(412);
  if (verdict === 304) return { status: 304, fields: representation.identifyingFields };

  const range = rangeOf(request, representation, needs.now());
  if (range === 'unsatisfiable') {
    return plainAnswer(416, { 'Content-Range': contentRange(representation.bytes) });
  }
  const { bytes, describingFields } = representation;
  const slice = range ?? { offset: 0, length: bytes };
  const head =
    range === undefined
      ? { status: 200, fields: describingFields }
      : {
          status: 206,
          fields: {
            ...describingFields,
            'Content-Length': String(range.length),
            'Content-Range': contentRange(bytes, range),
          },
        };
  if (request.method === 'HEAD') return head;
  const body = representation.open(slice, request.socket);
  return { ...head, body: body instanceof Promise ? await body : body };
}

function selectRepresentation(
  site: KnownSite,
  asked: AskedFile,
  { headers }: IncomingMessage,
  needs: ServeFileOptions,
): Soon<Representation | 'no such file' | 'not acceptable'> {
  if (asked.kind === 'robots') return robotsRepresentation(site.origin);
  if (asked.kind === 'stylesheet') return needs.stylesheet(headers['accept-encoding']) ?? 'not acceptable';
  return whenThere(findFile(site, asked.name, needs), (found) => {
    if (found === undefined) return 'no such file';
    if (asked.alias) return needs.representations.of(found, 'alias');
    const encoding = chooseEncoding(headers['accept-encoding']);
    return encoding === undefined ? 'not acceptable' : needs.representations.of(found, encoding);
  });
}

/** RFC 9110 section 14.2: Range means something for GET only, and If-Range may take it back. */
function rangeOf({ method, headers }: IncomingMessage, representation: Representation, nowMs: number) {
  const isAsked = method === 'GET' && judgeIfRange(headers['if-range']?.toString(), representation, nowMs);
  return isAsked ? chooseRange(headers.range, representation.bytes) : undefined;
}

/** RFC 9110 section 10.1.1: 100 Continue is all that can be expected. */
function expectsMore({ headers }: IncomingMessage): boolean {
  return headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue';
}

/** RFC 9110 section 9.3.1: a body of GET means nothing, and may be an attempt to smuggle a request. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
