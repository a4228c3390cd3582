/** Reads an answer of the service: an envelope in JSON. An answer of another program, such as a proxy, is an error. */
import type { IncomingMessage } from 'node:http';
import { WaypostError } from '../waypost-error.ts';

export interface Answer {
  readonly data: unknown;
  readonly pagination?: { readonly hasMore: boolean; readonly cursor?: string };
}

/** A page with a hundred attempts of a hundred violations each stays below this limit. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The statuses of overload and restarts, also of proxies. */
const TEMPORARY = [408, 425, 429, 500, 502, 503, 504];

export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const text = await readText(response);
  const json = parseEnvelope(text);
  if (isSuccess(response) && json?.success === true) return json as unknown as Answer;
  throw errorIn(response, json);
}

export function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

type Json = Readonly<Record<string, unknown>>;

function parseEnvelope(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined; // The service always answers with JSON.
  }
}

function errorIn(response: IncomingMessage, json: Json | undefined): WaypostError {
  const { statusCode: status = 0, headers } = response;
  const retryAfterSeconds = parseRetryAfter(headers['retry-after'], headers.date);
  const requestId = headers['x-request-id']?.toString();
  const error = json?.error;
  if (!isObject(error) || typeof error.code !== 'string') {
    return new WaypostError('BAD_ANSWER', `The server answered ${status}, but not as Waypost does.`, {
      status,
      requestId,
      retryAfterSeconds,
      isTemporary: TEMPORARY.includes(status),
    });
  }
  return new WaypostError(error.code, String(error.message ?? error.code), {
    status,
    requestId,
    retryAfterSeconds,
    details: isObject(error.details) ? error.details : {},
    isTemporary: isTemporary(status, retryAfterSeconds),
  });
}

/** A 503 without Retry-After means that a feature is off. A 409 with Retry-After means that the same request is still under way. */
function isTemporary(status: number, retryAfterSeconds: number | undefined): boolean {
  if (status === 409 || status === 503) return retryAfterSeconds !== undefined;
  return TEMPORARY.includes(status);
}

/** A time in `value` is on the clock of the server, which `date` tells. */
function parseRetryAfter(value: string | undefined, date = ''): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const now = Date.parse(date) || Date.now();
  const seconds = Math.ceil((Date.parse(value) - now) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new WaypostError('BAD_ANSWER', 'The answer of the server has no end.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
