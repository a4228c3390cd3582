import express, { type Request, type Response } from 'express';
import { expect, test } from 'vitest';
import { createSessionCookie } from '../../src/edges/dashboard/cookie.ts';
import { newToken } from '../../src/features/accounts/secret-token.ts';

const token = newToken();
const asking = (cookie?: string) => ({ headers: { cookie } }) as Request;

function headerOf(act: (response: Response) => void): string {
  const set: string[] = [];
  const response = Object.create(express.response, {
    append: { value: (_: string, value: string) => set.push(value) },
    req: { value: {} },
    app: { value: { get: () => undefined } },
  });
  act(response);
  expect(set).toHaveLength(1);
  return set[0]!;
}

test('on https it is bound to the host and to https, and no script reads it', () => {
  const cookie = createSessionCookie('https://api.example.net');
  const attributes = headerOf((response) => cookie.set(response, token)).split('; ');
  expect(attributes.filter((attribute) => !attribute.startsWith('Expires=')).sort()).toEqual(
    [`__Host-waypost=${token}`, ...['Max-Age=604800', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']].sort(),
  );
  expect(cookie.read(asking(`a=b; __Host-waypost=${token}`))).toBe(token);
  expect(cookie.read(asking(`waypost-80=${token}`))).toBeUndefined();
  const cleared = headerOf((response) => cookie.clear(response));
  expect(cleared).toMatch(/^__Host-waypost=; Path=\/; Expires=Thu, 01 Jan 1970/);
  expect(cleared).toContain('Secure');
});

test('on http each port has its own, without Secure', () => {
  const [first, second] = [3000, 3001].map((port) => createSessionCookie(`http://127.0.0.1:${port}`));
  const header = headerOf((response) => first!.set(response, token));
  expect(header).toContain(`waypost-3000=${token}; `);
  expect(header).not.toContain('Secure');
  const asked = asking(`waypost-3000=${token}`);
  expect([first!.read(asked), second!.read(asked)]).toEqual([token, undefined]);
});

test.each([
  undefined,
  '',
  'waypost-3000',
  'waypost-3000=',
  `waypost-3000=${'a'.repeat(42)}`,
  `waypost-3000=${'a'.repeat(44)}`,
  `waypost-3000="${token}"`,
  `WAYPOST-3000=${token}`,
  `xwaypost-3000=${token}`,
  // One of them is a stranger's.
  `waypost-3000=${token}; waypost-3000=${newToken()}`,
])('%j has no token', (header) => {
  expect(createSessionCookie('http://127.0.0.1:3000').read(asking(header))).toBeUndefined();
});
