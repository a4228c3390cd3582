/** The hosting server: wires the parts together, sets Node's limits, and turns failures into answers. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import { hasCode } from '../../platform/error-code.ts';
import { inOrder } from '../../platform/http/in-order.ts';
import { refuseMalformed } from '../../platform/http/refuse-malformed.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import type { ObjectReader } from '../../platform/storage/object-storage.ts';
import { type Answer, bodyBytes } from './answer/answer.ts';
import { plainAnswer } from './answer/plain-answer.ts';
import { Representations } from './answer/representation.ts';
import { sendAnswer } from './answer/send-answer.ts';
import { readStylesheet } from './answer/stylesheet.ts';
import { Bodies } from './bodies/bodies.ts';
import { Busy } from './bodies/busy.ts';
import { InflatedFiles } from './bodies/inflated-files.ts';
import { ObjectGone, StoredObjects } from './bodies/stored-objects.ts';
import { ownersApartFrom } from './client.ts';
import { createHostingComplaints, type HostingComplaints } from './complaints.ts';
import { createLookUps } from './create-look-ups.ts';
import { HostingCounts } from './hosting-counts.ts';
import { DEFAULT_LIMITS, type HostingLimits, type HostingOptions } from './hosting-options.ts';
import { GuardedStorage, StoreUnavailable } from './lookup/guarded-storage.ts';
import { type RequestContext, type ServeFileOptions, serveFile } from './serve-file.ts';
import { createSecureServer } from './tls/create-secure-server.ts';

/**
 * The interval between checks for slow clients. A cut takes some 0.1 ms, and frequent checks cut a flood of slow clients in small groups.
 */
const TIMEOUT_CHECK_MS = 25;

/** The part of the file cache for inflated XML. The largest possible file fits into it. */
const INFLATED_PART = 1 / 3;
/** The part of the file cache for prepared headers. With the default size, it holds the headers of 8,000 files. */
const READY_PART = 1 / 12;

export interface Hosting {
  readonly server: Server;
  /** The HTTPS server. Undefined without `certificateKeys`. */
  readonly secureServer: TlsServer | undefined;
}

/** Creates servers that do not listen yet. Nothing but the servers needs to be closed. */
export function createHosting({
  storage,
  fileStorage = storage,
  isTrustedProxy = () => false,
  certificateKeys: keys,
  log,
  counts = new HostingCounts(),
  crawls,
  now = Date.now,
  steadyNow: steady = steadyNow,
  ...given
}: HostingOptions): Hosting {
  const limits: HostingLimits = { ...DEFAULT_LIMITS, ...given };
  const complain = createHostingComplaints(log, steady);
  const guard = (reader: ObjectReader) =>
    new GuardedStorage({
      storage: reader,
      timeoutMs: limits.storageTimeoutMs,
      report: (err) => complain.storeFails({ err }),
    });
  const guarded = guard(storage);
  const ownerOf = ownersApartFrom(isTrustedProxy);
  const lookUps = createLookUps({
    storage: guarded,
    keys,
    limits,
    ownerOf,
    complain,
    counts,
    now: steady,
  });
  const { cacheBytes, maxCachedFileBytes } = limits;
  const bytesOf = (part: number) => Math.max(1, Math.ceil(cacheBytes * part));
  const objects = new StoredObjects({
    storage: guarded,
    fileStorage: guard(fileStorage),
    cacheBytes: bytesOf(1 - INFLATED_PART - READY_PART),
    maxCachedFileBytes,
    maxWaitMs: limits.storageTimeoutMs,
    counts,
  });
  const inflated = new InflatedFiles({
    cacheBytes: bytesOf(INFLATED_PART),
    counts: counts.inflated,
    objects,
  });
  const bodies = new Bodies({ objects, inflated, maxLentBytes: cacheBytes, ownerOf });
  const representations = new Representations(bodies, bytesOf(READY_PART), now);
  counts.objectBytes = () => objects.bytes + inflated.bytes + representations.bytes;
  const serving: ServeFileOptions = {
    ...lookUps,
    objects,
    representations,
    stylesheet: readStylesheet(),
    now,
  };

  const server = createLimitedServer(limits);
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const context: RequestContext = { site: undefined, file: undefined };
    const cutShort = (error: unknown) => {
      response.destroy();
      if (!hasCode(error, ...CLIENT_LEAVES)) complain.cutShort(detailsOf(error, request));
    };
    const send = (answer: Answer) => {
      try {
        const answeredAt = performance.now();
        counts.answered(answer.status, (answeredAt - startedAt) / 1000);
        const userAgent = request.headers['user-agent'];
        const { site, file } = context;
        if (site && crawls) {
          const bytes = bodyBytes(answer, request.method);
          crawls.add(site.hostname, userAgent, answer.status, answeredAt, file, bytes);
        }
        sendAnswer(request, response, answer, limits)?.catch(cutShort);
      } catch (error) {
        cutShort(error);
      }
    };
    const answer = answerAnyway(request, serving, context, complain);
    if (answer instanceof Promise) void answer.then(send);
    else send(answer);
  };
  const listener = inOrder(respond);
  server.on('request', listener);
  // A client with `Expect` waits for 100 Continue before it sends a body. Hosting wants no body, so it answers at once.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  refuseMalformed(server, (status) => {
    counts.answers[status]! += 1;
    return plainAnswer(status);
  });
  const { certificates } = lookUps;
  const onRefused = (host: string, err: unknown) => complain.handshakeRefused({ host, err });
  const handshakes = {
    handshakeTimeoutMs: limits.headersTimeoutMs,
    counts: counts.handshakes,
    ownerOf,
    onRefused,
    now,
  };
  const secureServer = keys && certificates && createSecureServer({ certificates, keys, ...handshakes });
  return { server, secureServer };
}

function createLimitedServer(limits: HostingLimits): Server {
  const server = createServer({
    // A request without Host gets our own answer, see request-flaw.ts.
    requireHostHeader: false,
    headersTimeout: limits.headersTimeoutMs,
    // Hosting refuses requests with a body, so the headers are the whole request.
    requestTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, Math.ceil(limits.headersTimeoutMs / 4)),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
  });
  // By default, Node drops headers beyond a count without a word. The size of all headers is bounded without a count: 16 KiB.
  server.maxHeadersCount = 0;
  server.timeout = limits.stallTimeoutMs;
  return server;
}

/** Answers every request, even when serving fails. */
function answerAnyway(
  request: IncomingMessage,
  options: ServeFileOptions,
  context: RequestContext,
  complain: HostingComplaints,
): Answer | Promise<Answer> {
  const fail = (error: unknown) => failureAnswer(error, request, complain);
  try {
    const answer = serveFile(request, options, context);
    return answer instanceof Promise ? answer.catch(fail) : answer;
  } catch (error) {
    return fail(error);
  }
}

function failureAnswer(error: unknown, request: IncomingMessage, complain: HostingComplaints): Answer {
  // The log line and the answer have the same id, so we find the line of an error that a client reports.
  const requestId = randomUUID();
  const details = { requestId, ...detailsOf(error, request) };
  const fields = { 'X-Request-Id': requestId };
  // GuardedStorage has already reported the cause of a StoreUnavailable.
  if (error instanceof StoreUnavailable) complain.unavailable(withReason(details, error));
  else if (error instanceof Busy) complain.busy(withReason(details, error));
  else if (error instanceof ObjectGone) complain.fileMissing(details);
  else {
    complain.requestFailed(details);
    return plainAnswer(500, fields);
  }
  return plainAnswer(503, fields);
}

const withReason = (details: object, { message: reason }: Error) => ({ ...details, err: undefined, reason });

function detailsOf(err: unknown, { headers, url }: IncomingMessage): object {
  return { err, host: headers.host, url };
}

/** Error codes of a broken connection: from the socket, a stream, or a pipeline. */
const CLIENT_LEAVES = [
  'ECONNRESET',
  'EPIPE',
  'ABORT_ERR',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_UNABLE_TO_PIPE',
];
