/**
 * The journey of a crawler's request, from its headers to an answer:
 *
 *   check the request → parse Host and path → answer a challenge → find the site → redirect to HTTPS
 *   → find the file → choose the encoding → see whether the client has it already → cut the range → open the body
 *
 * This file decides everything and sends nothing; `send-answer.ts` sends.
 *
 * A step gets the result of the look-up before it (docs/decisions/0049). If the result was in memory, the step runs in the same call. If
 * the look-up needs the store, the step gets a promise. Then the first line of the step waits for the result, and runs the step again.
 */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { requestFlaw } from '../../platform/http/request-flaw.ts';
import { parseTarget, type RequestTarget } from '../../platform/http/request-target.ts';
import type { ByteRange } from '../../platform/storage/object-storage.ts';
import { chooseEncoding } from './answer/accept-encoding.ts';
import type { Answer } from './answer/answer.ts';
import { contentRange } from './answer/byte-range.ts';
import { closingAnswer, plainAnswer, textAnswer } from './answer/plain-answer.ts';
import { judgePreconditions, selectRange } from './answer/preconditions.ts';
import {
  ATOM,
  type Representation,
  type Representations,
  robotsRepresentation,
  type Variant,
} from './answer/representation.ts';
import type { Stylesheet } from './answer/stylesheet.ts';
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
  /** The certificates. Absent without HTTPS. */
  readonly certificates?: Pick<KnownCertificates, 'find'> | undefined;
  readonly objects: Pick<StoredObjects, 'listing' | 'section'>;
  readonly representations: Pick<Representations, 'of'>;
  readonly stylesheet: Stylesheet;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The facts about a request that `serveFile` finds, for the counts and the log. */
export interface RequestContext {
  /** The site of the request, once it is found, even if the answer is an error. */
  site: KnownSite | undefined;
  /** The name of the file, once it is known whether the site has the file. */
  file: string | undefined;
}

/** Answers a request. Throws StoreUnavailable, Busy or ObjectGone. The answer to each of these errors is 503. */
export function serveFile(
  request: IncomingMessage,
  options: ServeFileOptions,
  context: RequestContext,
): Answer | Promise<Answer> {
  const target = parseTarget(request.url ?? '');
  const refusal = refusalOf(request, target);
  if (refusal !== undefined) return refusal;
  // Health checks use an IP address or a service name as Host, so every host answers them.
  if (target.path === '/healthz') return plainAnswer(200);
  const file = parsePath(target.path);
  const hostname = parseHost(target.authority ?? request.headers.host);
  if (file === undefined || hostname === undefined) return plainAnswer(404);
  if (file.kind === 'challenge') return answerChallenge(hostname, file.token, request, options);
  const misdirected = isMisdirected(request.socket, hostname, options.certificates);
  const asked = { hostname, path: target.path, request, options, context };
  return answerFromHost(misdirected, file, asked);
}

/** Returns the answer that refuses a request; undefined for a GET or a HEAD without a flaw and without a body. */
function refusalOf(request: IncomingMessage, target: RequestTarget): Answer | undefined {
  const flaw = requestFlaw(request, target);
  if (flaw !== undefined) return closingAnswer(flaw.status);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (announcesBody(request)) return closingAnswer(isRead ? 400 : 405);
  return isRead ? undefined : plainAnswer(405);
}

/** Returns whether a request has a body. The body of a GET has no meaning, and may hide a second request (RFC 9110 section 9.3.1). */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function answerChallenge(
  hostname: string,
  token: string,
  request: IncomingMessage,
  { challenges }: ServeFileOptions,
): Promise<Answer> {
  const keyAuthorization = await challenges.find(hostname, token, request.socket);
  return keyAuthorization === undefined ? plainAnswer(404) : textAnswer(200, keyAuthorization);
}

/** A request for a file or a key file, with all that its steps need. */
interface Asked {
  readonly hostname: string;
  readonly path: string;
  readonly request: IncomingMessage;
  readonly options: ServeFileOptions;
  readonly context: RequestContext;
}

function answerFromHost(
  misdirected: boolean | Promise<boolean>,
  file: AskedFile | AskedKey,
  asked: Asked,
): Answer | Promise<Answer> {
  if (misdirected instanceof Promise) return misdirected.then((is) => answerFromHost(is, file, asked));
  if (misdirected === true) return plainAnswer(421);
  const { hostname, request, options } = asked;
  return answerFromSite(options.sites.find(hostname, request.socket), file, asked);
}

function answerFromSite(
  site: KnownSite | undefined | Promise<KnownSite | undefined>,
  file: AskedFile | AskedKey,
  asked: Asked,
): Answer | Promise<Answer> {
  if (site instanceof Promise) return site.then((read) => answerFromSite(read, file, asked));
  if (site === undefined) return plainAnswer(404);
  asked.context.site = site;
  if (site.https && !(asked.request.socket instanceof TLSSocket)) {
    return plainAnswer(301, { Location: `${site.origin}${asked.path}` });
  }
  if (file.kind === 'key file') return answerKey(site, file.key);
  try {
    const answer = answerWith(select(site, file, asked), file, asked);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error) => answerFromNewerSite(error, site, file, asked));
  } catch (error) {
    return answerFromNewerSite(error, site, file, asked);
  }
}

function answerKey({ indexNowKeys }: KnownSite, key: string): Answer {
  return indexNowKeys.includes(key) ? textAnswer(200, key) : plainAnswer(404);
}

/** A representation, or the status of the answer without one. `found`: the stored file; absent for a file that every site has. */
type Selected = { readonly representation: Representation; readonly found?: FoundFile } | 404 | 406;

function select(site: KnownSite, file: AskedFile, { request, options }: Asked): Selected | Promise<Selected> {
  const accepted = request.headers['accept-encoding'];
  if (file.kind === 'robots') return { representation: robotsRepresentation(site.origin) };
  if (file.kind === 'stylesheet') {
    const representation = options.stylesheet(accepted);
    return representation === undefined ? 406 : { representation };
  }
  if (file.kind === 'feed') return selectVariant(site.feed, chooseEncoding(accepted), options, ATOM);
  const variant = file.alias ? 'alias' : chooseEncoding(accepted);
  return selectVariant(findFile(site, file.name, options), variant, options);
}

function selectVariant(
  found: FoundFile | undefined | Promise<FoundFile | undefined>,
  variant: Variant | undefined,
  options: ServeFileOptions,
  contentType?: string,
): Selected | Promise<Selected> {
  if (found instanceof Promise) return found.then((read) => selectVariant(read, variant, options));
  if (found === undefined) return 404;
  if (variant === undefined) return 406;
  return { representation: options.representations.of(found.file, variant, contentType), found };
}

function answerWith(
  selected: Selected | Promise<Selected>,
  file: AskedFile,
  asked: Asked,
): Answer | Promise<Answer> {
  if (selected instanceof Promise) return selected.then((read) => answerWith(read, file, asked));
  const { request, context } = asked;
  context.file = file.countedAs;
  if (typeof selected === 'number') return plainAnswer(selected);
  const { representation, found } = selected;
  const verdict = judgePreconditions(request.headers, representation);
  if (verdict === 412) return plainAnswer(412);
  if (verdict === 304) return { status: 304, fields: representation.identifyingFields };

  const range = selectRange(request, representation);
  if (range === 'unsatisfiable') {
    return plainAnswer(416, { 'Content-Range': contentRange(representation.bytes) });
  }
  const head = headOf(representation, range);
  if (request.method === 'HEAD') return head;
  const slice = range ?? { offset: 0, length: representation.bytes };
  const body = representation.open(slice, request.socket, found);
  return body instanceof Promise ? body.then((opened) => ({ ...head, body: opened })) : { ...head, body };
}

function headOf({ bytes, describingFields, head }: Representation, range: ByteRange | undefined): Answer {
  if (range === undefined) return { status: 200, fields: describingFields, head };
  const part = { 'Content-Length': String(range.length), 'Content-Range': contentRange(bytes, range) };
  return { status: 206, fields: { ...describingFields, ...part } };
}

/** Answers from a newer `site.json`, if there is one. After a publish, the objects that the older `site.json` names may be gone. */
async function answerFromNewerSite(
  error: unknown,
  seen: KnownSite,
  file: AskedFile,
  asked: Asked,
): Promise<Answer> {
  if (!(error instanceof ObjectGone)) throw error;
  const newer = await asked.options.sites.findAgain(seen.hostname, seen);
  if (newer === seen) throw error;
  return newer === undefined ? plainAnswer(404) : answerWith(select(newer, file, asked), file, asked);
}
