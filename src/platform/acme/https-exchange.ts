/**
 * Makes one request to an ACME server, and reads the whole answer. We do not trust the server: we follow no redirect, and bound the answer
 * and its time. We use node:https, because it gives an error for a truncated answer, and trusts the authorities in NODE_EXTRA_CA_CERTS.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { errorCode } from '../error-code.ts';
import { BoundedBody, boundHead } from '../http/bounded-answer.ts';
import { AcmeError } from './acme-error.ts';

export interface AcmeRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  /** The action for the message of an error, for example `create an order`. */
  readonly attempt: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, in JSON. */
  readonly body?: string;
}

export interface AcmeAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Returns the answer, whatever its status. Throws AcmeError if there is no answer. */
export async function exchange(
  { method, url, attempt, headers, body }: AcmeRequest,
  agent: Agent,
  signal: AbortSignal,
): Promise<AcmeAnswer> {
  try {
    signal.throwIfAborted();
    const outgoing = request(url, { method, agent, signal, headers });
    boundHead(outgoing);
    // `once` stops listening for errors at the response, but the connection may emit errors after it. Without a listener, these end the
    // process.
    outgoing.on('error', () => {}).end(body);
    // `once` needs the signal too: if the server switches protocols, Node closes the request without an error.
    const [answer] = (await once(outgoing, 'response', { signal })) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await readBody(answer) };
  } catch (cause) {
    const code = errorCode(cause);
    const failure = `the connection failed${code === undefined ? '' : ` (${code})`}`;
    const detail = signal.aborted ? 'the server gave no answer in time' : failure;
    throw new AcmeError(attempt, { kind: 'unavailable', detail, cause });
  }
}

async function readBody(answer: IncomingMessage): Promise<string> {
  const body = new BoundedBody(MAX_ANSWER_BYTES);
  const { bytesRead } = answer.socket;
  // The error below leaves the loop. Node then destroys the answer and its connection.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (!body.add(chunk, answer.socket.bytesRead - bytesRead))
      throw new RangeError(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
  }
  return body.bytes.toString();
}
