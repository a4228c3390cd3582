/**
 * Makes one request and receives its answer, without retries and redirects. A body is sent at the pace of the server. If the answer comes
 * early, the rest of the body is not sent. If the body fails, the request ends without its last chunk, so the server sees that the body is
 * truncated, and publishes nothing.
 */
import { request as begin, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as beginSecurely } from 'node:https';
import { WaypostError } from '../waypost-error.ts';
import { agentFor } from './agents.ts';
import { markFailures } from './source-failure.ts';

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent in chunks, over a connection of its own. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The longest silence of the server while we wait for it. */
  readonly timeoutMs: number;
}

/** A server that does not know `Expect: 100-continue` says nothing. Then we send the body after a second, like curl. */
const CONTINUE_WAIT_MS = 1000;

/** With this buffer, a source of small pieces does not wait for the socket after each piece. */
const SOCKET_BUFFER_BYTES = 1024 * 1024;

/** Resolves with the head of the answer. The caller reads its body to the end. */
export async function exchange({ method, url, headers, body, signal, timeoutMs }: Exchange) {
  const isStream = typeof body === 'object' && Symbol.asyncIterator in body;
  const agent = agentFor(url, isStream);
  const outgoing = (url.protocol === 'https:' ? beginSecurely : begin)(url, {
    method,
    headers: isStream ? { ...headers, Expect: '100-continue' } : headers,
    // The agent's own time of 5 s counts until there is a connection, unless the request names another one.
    timeout: timeoutMs,
    ...(signal && { signal }),
    // A stream gets a new connection: the server may close an idle one at any moment, and a stream cannot be sent twice.
    ...(agent !== undefined && { agent }),
    ...(isStream && { writableHighWaterMark: SOCKET_BUFFER_BYTES }),
  });
  const state: SendState = { isOver: false, waitsForSource: false };
  let answer: IncomingMessage | undefined;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', (response) => {
      answer = response;
      resolve(response);
    });
    outgoing.on('error', reject);
    outgoing.once('close', () => reject(closedEarly()));
  }).finally(() => {
    state.isOver = true;
  });
  const endSilence = () => {
    const waitsForReader = answer !== undefined && (answer.complete || answer.readableLength > 0);
    if (state.waitsForSource || waitsForReader) {
      // Node tells of one silence only, and the next one may be the server's.
      outgoing.socket?.once('timeout', endSilence).setTimeout(timeoutMs);
      return;
    }
    outgoing.destroy(
      new WaypostError('TIMEOUT', `No answer for ${timeoutMs / 1000} s.`, { isTemporary: true }),
    );
  };
  outgoing.once('timeout', endSilence);
  outgoing.once('close', () => outgoing.socket?.off('timeout', endSilence));
  try {
    if (!isStream) outgoing.end(body);
    const sent = isStream ? sendStream(outgoing, body, state, answered) : undefined;
    const response = await Promise.race([answered, (sent ?? answered).then(() => answered)]);
    // If the body was not sent to its end, close the connection.
    response.once('close', () => outgoing.writableEnded || outgoing.destroy());
    return response;
  } catch (error) {
    outgoing.destroy();
    answered.catch(() => {}); // The body failed first, so its error is the one to report.
    throw error;
  }
}

function closedEarly(): WaypostError {
  return new WaypostError('UNREACHABLE', 'The connection was closed before the answer.', {
    isTemporary: true,
  });
}

interface SendState {
  /** The answer is there, or the connection is gone. */
  isOver: boolean;
  waitsForSource: boolean;
}

async function sendStream(
  outgoing: ClientRequest,
  body: AsyncIterable<Uint8Array>,
  state: SendState,
  answered: Promise<unknown>,
): Promise<void> {
  await continued(outgoing, answered);
  if (state.isOver) return;
  state.waitsForSource = true;
  for await (const chunk of markFailures(body)) {
    state.waitsForSource = false;
    if (!state.isOver && !outgoing.write(chunk)) await drained(outgoing, answered);
    if (state.isOver) return;
    state.waitsForSource = true;
  }
  state.waitsForSource = false;
  outgoing.end();
}

function continued(outgoing: ClientRequest, answered: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONTINUE_WAIT_MS);
    const goOn = () => {
      clearTimeout(timer);
      resolve();
    };
    outgoing.once('continue', goOn);
    answered.then(goOn, goOn);
  });
}

function drained(outgoing: ClientRequest, answered: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('drain', resolve);
    answered.then(
      () => resolve(),
      () => resolve(),
    );
  });
}
