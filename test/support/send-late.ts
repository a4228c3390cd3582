/** Sends a request whose body waits for another event, after the service has admitted the caller. */
import { type IncomingMessage, request } from 'node:http';
import { once } from './soon.ts';

interface LateRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A value that is sent as JSON. */
  readonly body: object;
}

/** Returns the status. The service asks for the body with 100 Continue (RFC 9110, section 10.1.1). */
export async function sendLate(
  url: string,
  { method, headers, body }: LateRequest,
  beforeBody: () => Promise<unknown>,
): Promise<number | undefined> {
  const text = JSON.stringify(body);
  const own = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  const sent = request(url, { method, headers: { ...own, ...headers, Expect: '100-continue' } });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  await once(sent, 'continue');
  await beforeBody();
  sent.end(text);
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}
