/**
 * Judges the answer of the endpoint to a batch (indexnow.org/documentation):
 *
 * | answer | verdict |
 * |---|---|
 * | 200, 202 | submitted |
 * | 400 | dead: another request cannot succeed |
 * | 403 | unverified: the search engine does not find the key |
 * | 413, 422 | refused: a URL is bad, or all of the host are (docs/decisions/0111) |
 * | any other, or none | later: the endpoint fails, or its operator or we have made a mistake |
 */
import type { OutboundAnswer, OutboundError } from '../../platform/http/outbound.ts';
import { retryAfterMs } from '../../platform/http/retry-after.ts';

export type Verdict =
  | { readonly kind: 'submitted' | 'dead' | 'unverified' | 'refused'; readonly status: number }
  /** `status`: undefined if there was no answer. */
  | {
      readonly kind: 'later';
      readonly status: number | undefined;
      readonly retryAfterMs: number | undefined;
    };

const KINDS = {
  200: 'submitted',
  202: 'submitted',
  400: 'dead',
  403: 'unverified',
  413: 'refused',
  422: 'refused',
} as const;

export function judgeAnswer(answer: OutboundAnswer | OutboundError): Verdict {
  if (answer instanceof Error) return { kind: 'later', status: undefined, retryAfterMs: undefined };
  const { status, headers } = answer;
  const kind = KINDS[status as keyof typeof KINDS];
  if (kind !== undefined) return { kind, status };
  return { kind: 'later', status, retryAfterMs: retryAfterMs(headers['retry-after']) };
}
