/** Answers without a file. Most are short and constant. All causes of a status have the same answer, so it reveals nothing of its cause. */
import { type Answer, COMMON_FIELDS, type Fields } from './answer.ts';

const TEXTS = {
  200: 'ok',
  301: 'Moved permanently.\n',
  400: 'Bad request.\n',
  404: 'Not found.\n',
  405: 'Method not allowed.\n',
  406: 'Not acceptable.\n',
  408: 'Request timeout.\n',
  412: 'Precondition failed.\n',
  413: 'Content too large.\n',
  414: 'Target too long.\n',
  416: 'Range not satisfiable.\n',
  417: 'Expectation failed.\n',
  421: 'Misdirected request.\n',
  431: 'Header fields too large.\n',
  500: 'Internal error.\n',
  501: 'Not implemented.\n',
  503: 'Temporarily unavailable.\n',
  505: 'HTTP version not supported.\n',
} as const;

export type PlainStatus = keyof typeof TEXTS;

/** The time in which a store restarts. A crawler that waits for so short a time comes back in the same visit. */
const RETRY_AFTER_SECONDS = 5;

const OWN_FIELDS: Partial<Record<PlainStatus, Fields>> = {
  405: { Allow: 'GET, HEAD' },
  406: { Vary: 'Accept-Encoding' },
  503: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
};

export function plainAnswer(status: PlainStatus, fields: Fields = {}): Answer & { readonly body: Buffer } {
  return textAnswer(status, TEXTS[status], { ...OWN_FIELDS[status], ...fields });
}

/**
 * Makes an answer of text with `no-store`. Without `no-store`, caches may keep even a 404 or a 301 (RFC 9111), and a site may change soon.
 */
export function textAnswer(
  status: number,
  text: string,
  fields: Fields = {},
): Answer & { readonly body: Buffer } {
  const body = Buffer.from(text);
  return {
    status,
    fields: {
      ...COMMON_FIELDS,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(body.length),
      'Cache-Control': 'no-store',
      ...fields,
    },
    body,
  };
}

/** Makes the answer to a request with doubtful framing or an unwanted body. The answer ends the connection. */
export function closingAnswer(status: PlainStatus): Answer {
  return { ...plainAnswer(status), closes: true };
}
