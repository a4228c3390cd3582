import type { Request } from 'express';
import { expect, test } from 'vitest';
import { requireSameOrigin } from '../../src/edges/dashboard/same-origin.ts';

const ORIGIN = 'http://127.0.0.1:3000';

function isRefused(method: string, headers: Record<string, string>): boolean {
  const request = { method, get: (name: string) => headers[name] } as unknown as Request;
  try {
    requireSameOrigin(request, ORIGIN);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'FORBIDDEN' });
    return true;
  }
}

test.each([
  [{ 'sec-fetch-site': 'same-origin' }],
  [{ 'sec-fetch-site': 'same-origin', origin: ORIGIN }],
  // Over plain http off loopback.
  [{ origin: ORIGIN }],
])('a page of ours may: %j', (headers) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(isRefused(method, headers)).toBe(false);
});

test.each([
  [{}],
  [{ 'sec-fetch-site': 'cross-site', origin: ORIGIN }],
  [{ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4000' }],
  [{ 'sec-fetch-site': 'none' }],
  [{ 'sec-fetch-site': '' }],
  [{ 'sec-fetch-site': 'same-origin, cross-site' }],
  [{ origin: 'null' }],
  [{ origin: 'http://127.0.0.1' }],
  [{ origin: 'https://127.0.0.1:3000' }],
  [{ origin: `${ORIGIN}.example.net` }],
])('others may not: %j', (headers) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'X'])
    expect({ method, refused: isRefused(method, headers) }).toEqual({ method, refused: true });
  for (const method of ['GET', 'HEAD']) expect(isRefused(method, headers)).toBe(false);
});
