/** Sends one HTTP request. Unlike `fetch`, it lets us set the Host header. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface ExchangeOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export async function open(
  url: string,
  { method, headers = {}, body }: ExchangeOptions = {},
): Promise<IncomingMessage> {
  const options: RequestOptions = { method: method ?? (body === undefined ? 'GET' : 'POST'), headers };
  const outgoing = httpRequest(url, options);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  if (body === undefined) outgoing.end();
  else {
    // If the server answers early, the answer counts, and the failure to send the rest of the body does not.
    const sent = pipeline(Readable.from(body), outgoing);
    await Promise.race([answered, sent.then(() => answered)]);
    sent.catch(() => {});
  }
  return answered;
}

/** Returns the `data` of an API answer. If the API refuses, throws an error with the API's message. */
export async function callApi<Data>(
  url: string,
  apiKey: string,
  options: ExchangeOptions = {},
): Promise<Data> {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json', ...options.headers };
  const answer = await open(url, { ...options, headers });
  const text = Buffer.concat(await answer.toArray()).toString();
  const envelope = JSON.parse(text);
  if (!envelope.success)
    throw new Error(`${answer.statusCode} ${envelope.error.code}: ${envelope.error.message}`);
  return envelope.data;
}
