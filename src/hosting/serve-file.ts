/**
 * The journey of a crawler's request, from its headers to an answer:
 *
 *   check the request → parse Host and path → answer a challenge → find the site → redirect to HTTPS
 *   → find the file → choose the encoding → see whether the client has it already → cut the range → open the body
 *
 * It decides everything and sends nothing; `send-answer.ts` sends.
 */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { requestFlaw } from '../platform/http/request-flaw.ts';
import { parseTarget, type RequestTarget } from '../platform/http/request-target.ts';
import type { ByteRange } from '../platform/storage/object-storage.ts';
import { chooseEncoding } from './answer/accept-encoding.ts';
import type { Answer } from './answer/answer.ts';
import { chooseRange, contentRange } from './answer/byte-range.ts';
import { closingAnswer, plainAnswer, textAnswer } from './answer/plain-answer.ts';
import { judgeIfRange, judgePreconditions } from './answer/preconditions.ts';
import { type Representation, type Representations, robotsRepresentation } from './answer/representation.ts';
import type { Stylesheet } from './answer/stylesheet.ts';
import { type Soon, whenFails, whenThere } from './bodies/soon.ts';
import { ObjectGone, type StoredObjects } from './bodies/stored-objects.ts';
import { findFile } from './lookup/find-file.ts';
import type { FoundFile } from './lookup/found-file.ts';
import type { KnownChallenges } from './lookup/known-challenges.ts';
import type { KnownSite, KnownSites } from './lookup/known-sites.ts';
import { parseHost } from './lookup/parse-host.ts';
import { type AskedFile, type AskedKey, parsePath } from './lookup/parse-path.ts';
import type { KnownCertificates } from './tls/known-certificates.ts';
import { isMisdirected } from './tls/misdirected.ts';

export interface ServeFileOptions {
  readonly sites: Pick<KnownSites, 'find' | 'findAgain'>;
  readonly challenges: Pick<KnownChallenges, 'find'>;
  /** Absent without HTTPS. */
  readonly certificates?: Pick<KnownCertificates, 'find'> | undefined;
  readonly objects: Pick<StoredObjects, 'listing'>;
  readonly representations: Pick<Representations, 'of'>;
  readonly stylesheet: Stylesheet;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What became known of a request on its way. */
export interface Visit {
  /** Once it is found. Also when the answer is an error. */
  site: KnownSite | undefined;
}

/** Throws StoreUnavailable, Busy, or ObjectGone (an object that must exist is gone): all mean 503. */
export function serveFile(request: IncomingMessage, options: ServeFileOptions, visit: Visit): Soon<Answer> {
  const target = parseTarget(request.url ?? '');
  const refusal = refusalOf(request, target);
  if (refusal !== undefined) return refusal;
  // Health checks use an IP address or a service name as Host, so every host answers them.
  if (target.path === '/healthz') return plainAnswer(200);
  const asked = parsePath(target.path);
  const hostname = parseHost(target.authority ?? request.headers.host);
  if (asked === undefined || hostname === undefined) return plainAnswer(404);
  if (asked.kind === 'challenge') return answerChallenge(hostname, asked.token, request, options);
  const misdirected = isMisdirected(request.socket, hostname, options.certificates);
  return whenThere(misdirected, (is) =>
    is ? plainAnswer(421) : serveFromSite(hostname, target.path, asked, request, options, visit),
  );
}

function answerChallenge(
  hostname: string,
  token: string,
  request: IncomingMessage,
  { challenges }: ServeFileOptions,
): Soon<Answer> {
  return whenThere(challenges.find(hostname, token, request.socket), (keyAuthorization) =>
    keyAuthorization === undefined ? plainAnswer(404) : textAnswer(200, keyAuthorization),
  );
}

function serveFromSite(
  hostname: string,
  path: string,
  asked: AskedFile | AskedKey,
  request: IncomingMessage,
  options: ServeFileOptions,
  visit: Visit,
): Soon<Answer> {
  return whenThere(options.sites.find(hostname, request.socket), (site) => {
    if (site === undefined) return plainAnswer(404);
    visit.site = site;
    if (site.https && !(request.socket instanceof TLSSocket)) {
      return plainAnswer(301, { Location: `${site.origin}${path}` });
    }
    if (asked.kind === 'key file') return answerKey(site, asked.key);
    return whenFails(
      () => answerFromSite(site, asked, request, options),
      async (error) => {
        if (!(error instanceof ObjectGone)) throw error;
        // After a publish, the objects that our site.json names may be gone. Look again, once.
        const newer = await options.sites.findAgain(hostname, site);
        if (newer === site) throw error;
        return newer === undefined ? plainAnswer(404) : answerFromSite(newer, asked, request, options);
      },
    );
  });
}

function answerKey({ indexNowKeys }: KnownSite, key: string): Answer {
  return indexNowKeys.includes(key) ? textAnswer(200, key) : plainAnswer(404);
}

/** Undefined for an unambiguous request for a file. */
function refusalOf(request: IncomingMessage, target: RequestTarget): Answer | undefined {
  const flaw = requestFlaw(request, target);
  if (flaw !== undefined) return closingAnswer(flaw.status);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (announcesBody(request)) return closingAnswer(isRead ? 400 : 405);
  return isRead ? undefined : plainAnswer(405);
}

function answerFromSite(
  site: KnownSite,
  asked: AskedFile,
  request: IncomingMessage,
  options: ServeFileOptions,
): Soon<Answer> {
  return whenThere(selectRepresentation(site, asked, request, options), (selected) => {
    if (selected === 'no such file') return plainAnswer(404);
    if (selected === 'not acceptable') return plainAnswer(406);
    return answerWith(selected, request, options.now());
  });
}

interface Selected {
  readonly representation: Representation;
  /** Absent for a file that every site has. */
  readonly found?: FoundFile;
}

function selectRepresentation(
  site: KnownSite,
  asked: AskedFile,
  { headers }: IncomingMessage,
  options: ServeFileOptions,
): Soon<Selected | 'no such file' | 'not acceptable'> {
  if (asked.kind === 'robots') return { representation: robotsRepresentation(site.origin) };
  if (asked.kind === 'stylesheet') {
    const representation = options.stylesheet(headers['accept-encoding']);
    return representation === undefined ? 'not acceptable' : { representation };
  }
  return whenThere(findFile(site, asked.name, options), (found) => {
    if (found === undefined) return 'no such file';
    const variant = asked.alias ? 'alias' : chooseEncoding(headers['accept-encoding']);
    if (variant === undefined) return 'not acceptable';
    return { representation: options.representations.of(found.file, variant), found };
  });
}

function answerWith(
  { representation, found }: Selected,
  request: IncomingMessage,
  nowMs: number,
): Soon<Answer> {
  const verdict = judgePreconditions(request.headers, representation);
  if (verdict === 412) return plainAnswer(412);
  if (verdict === 304) return { status: 304, fields: representation.identifyingFields };

  const range = rangeOf(request, representation, nowMs);
  if (range === 'unsatisfiable') {
    return plainAnswer(416, { 'Content-Range': contentRange(representation.bytes) });
  }
  const head = headOf(representation, range);
  if (request.method === 'HEAD') return head;
  const slice = range ?? { offset: 0, length: representation.bytes };
  return whenThere(representation.open(slice, request.socket, found), (body) => ({ ...head, body }));
}

function headOf({ bytes, describingFields, head }: Representation, range: ByteRange | undefined): Answer {
  if (range === undefined) return { status: 200, fields: describingFields, head };
  const part = { 'Content-Length': String(range.length), 'Content-Range': contentRange(bytes, range) };
  return { status: 206, fields: { ...describingFields, ...part } };
}

/** RFC 9110 section 14.2: Range applies to GET only. If-Range may cancel it. */
function rangeOf({ method, headers }: IncomingMessage, representation: Representation, nowMs: number) {
  const isAsked = method === 'GET' && judgeIfRange(headers['if-range']?.toString(), representation, nowMs);
  return isAsked ? chooseRange(headers.range, representation.bytes) : undefined;
}

/** RFC 9110 section 9.3.1: a body in a GET has no meaning and may be an attempt at request smuggling. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
