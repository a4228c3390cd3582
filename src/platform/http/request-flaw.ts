/**
 * Finds requests that Node's HTTP parser accepts and all of our servers refuse. Two readers can understand such a request differently. So a
 * client can use it to make a cache or proxy before us mix up hosts or requests.
 */
import type { IncomingMessage } from 'node:http';
import type { RequestTarget } from './request-target.ts';

export interface RequestFlaw {
  /** The status of the answer. To a 405, the server adds the field `Allow`. */
  readonly status: 400 | 405 | 417 | 501 | 505;
  /** The flaw, as one plain sentence that the client may see. */
  readonly sentence: string;
}

/** Matches a Host field: a host and an optional port, which may be empty (RFC 9110 section 7.2). No path, list or user information. */
const HOST = /^(?:[a-z0-9._~!$&'()*+;=%-]+|\[[0-9a-f:.]+\])(?::(\d*))?$/i;

/** Fields that may occur once, because they name one host or identity. Of several, Node keeps the first or joins all. */
const SINGLE_FIELDS = ['Host', 'Authorization', 'X-API-Key'];
const SINGLE_FIELD_BY_LENGTH = new Map(SINGLE_FIELDS.map((field) => [field.length, field]));

/**
 * Returns the flaw of a request whose head has arrived, if it has one. The answer to a flawed request should close
 * the connection, because it is unclear where the body ends.
 *
 * The server needs `requireHostHeader: false`, so that we answer a request without Host ourselves. It also needs `maxHeadersCount = 0`,
 * because a second Host can hide among the headers that Node drops otherwise.
 */
export function requestFlaw(request: IncomingMessage, target: RequestTarget): RequestFlaw | undefined {
  return (
    versionFlaw(request) ??
    fieldFlaw(request) ??
    targetFlaw(request, target) ??
    framingFlaw(request) ??
    expectationFlaw(request)
  );
}

function versionFlaw({ httpVersion, method }: IncomingMessage): RequestFlaw | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return { status: 505, sentence: 'Only HTTP/1.1 and HTTP/1.0 are supported.' };
  }
  // TRACE shows a client's headers, including cookies and keys, to an attacker who made the client send the request.
  if (method === 'TRACE') return { status: 405, sentence: 'TRACE is not allowed.' };
  return undefined;
}

function fieldFlaw(request: IncomingMessage): RequestFlaw | undefined {
  const repeated = repeatedField(request.rawHeaders);
  if (repeated !== undefined) return badRequest(`${repeated} is given more than once.`);
  const { host } = request.headers;
  if (host === undefined) {
    // HTTP/1.1 requires Host (RFC 9112 section 3.2). HTTP/1.0 has no Host, and the health checks of some load balancers use HTTP/1.0.
    return request.httpVersion === '1.1' ? badRequest('Host is missing.') : undefined;
  }
  const match = HOST.exec(host);
  const isHost = match !== null && Number(match[1] ?? '') <= 65_535;
  return isHost ? undefined : badRequest('Host is not a host name with an optional port.');
}

function targetFlaw(
  { method, headers }: IncomingMessage,
  { text, scheme, authority }: RequestTarget,
): RequestFlaw | undefined {
  if (text.includes('#')) return badRequest('The request target has a fragment.');
  if (text === '*' && method !== 'OPTIONS') return badRequest('The target * is for OPTIONS only.');
  if (scheme === undefined) return undefined;
  if (scheme !== 'http' && scheme !== 'https')
    return badRequest('The request target is not an http or https URL.');
  if (headers.host !== undefined && authority !== headers.host.toLowerCase()) {
    return badRequest('The host of the request target differs from Host.');
  }
  return undefined;
}

function framingFlaw({ headers, httpVersion }: IncomingMessage): RequestFlaw | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  // In HTTP/1.0, and with a coding other than chunked, the length of the body is unclear (RFC 9112 section 6.1).
  if (httpVersion === '1.0') return badRequest('Transfer-Encoding does not exist in HTTP/1.0.');
  if (coding.toLowerCase() !== 'chunked') {
    return { status: 501, sentence: 'The only supported transfer coding is chunked.' };
  }
  return undefined;
}

/** RFC 9110 section 10.1.1 defines no expectation but 100-continue. */
function expectationFlaw({ headers }: IncomingMessage): RequestFlaw | undefined {
  if (headers.expect === undefined || headers.expect.toLowerCase() === '100-continue') return undefined;
  return { status: 417, sentence: 'The only supported expectation is 100-continue.' };
}

/** Returns the single field that occurs twice, if there is one. `rawHeaders`: names and values in turns. */
function repeatedField(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const field = SINGLE_FIELD_BY_LENGTH.get(name.length);
    if (field?.toLowerCase() !== name.toLowerCase()) continue;
    if (seen.includes(field)) return field;
    seen.push(field);
  }
  return undefined;
}

function badRequest(sentence: string): RequestFlaw {
  return { status: 400, sentence };
}
