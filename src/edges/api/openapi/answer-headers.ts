/** The header fields of answers. */
import type { HeaderObject, Reference } from './document.ts';

export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': {
    description: 'Identifies the request. Quote it when you ask your operator for help.',
    schema: { type: 'string' },
  },
  'RateLimit-Limit': { description: 'Requests a minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in this minute.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the minute ends.', schema: { type: 'integer' } },
  'Retry-After': {
    description: 'Seconds to wait before you try again. Without it, trying again does not help.',
    schema: { type: 'integer' },
  },
  'WWW-Authenticate': { description: 'The scheme of a key.', schema: { type: 'string' } },
  Allow: { description: 'The methods of the path.', schema: { type: 'string' } },
  ETag: { description: 'Of this version, for `If-None-Match`.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long it may be kept.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: 'This is the first answer again, for the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
};

export const OF_EVERY_ANSWER = ['X-Request-Id'];
export const OF_ADMITTED = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
export const OF_KEPT = ['ETag', 'Cache-Control'];

export function headerReferences(names: readonly string[]): Readonly<Record<string, Reference>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
