/** The audit log in words. */
import { expect, test } from 'vitest';
import { ACTIONS, sayEvent } from '../../../pages/views/settings/audit/say-event.ts';
import type { AuditEvent } from '../../../src/edges/dashboard/wire.ts';
import type { AuditAction } from '../../../src/features/accounts/audit-store.ts';

function eventOf(action: string, subject: string, details: AuditEvent['details'] = {}): AuditEvent {
  const actor = { kind: 'user', name: 'Mia' } as const;
  return { id: '1', at: '2026-01-15T10:00:00Z', action, subject, details, actor, address: null };
}

test('each action that the server writes has words', () => {
  // The compiler does not notice an action without words.
  const words: Record<AuditAction, unknown> = ACTIONS;
  expect(Object.keys(words).sort()).toEqual(Object.keys(ACTIONS).sort());
});

test('an event says what was done to what', () => {
  const rollback = { sitemapName: 'default', restores: 12, generation: 14 };
  expect(sayEvent(eventOf('sitemap.rolled_back', 'maps.example.com', rollback))).toBe(
    'Rolled the sitemap default of maps.example.com back to version 12',
  );
  expect(sayEvent(eventOf('member.removed', 'Joan', { left: true }))).toBe('Joan left');
  expect(sayEvent(eventOf('member.removed', 'Joan', { left: false }))).toBe('Removed Joan');
  expect(sayEvent(eventOf('domain.changed', 'a.example', { fields: ['guard', 'indexNow'] }))).toBe(
    'Changed guard, indexNow of a.example',
  );
});

test('an action of a newer server, and details of any shape, are said as they are', () => {
  expect(sayEvent(eventOf('moon.landed', 'Apollo'))).toBe('moon.landed: Apollo');
  expect(sayEvent(eventOf('constructor', 'x'))).toBe('constructor: x');
  expect(sayEvent(eventOf('__proto__', 'x'))).toBe('__proto__: x');
  expect(sayEvent(eventOf('domain.changed', 'a.example', { fields: 'guard' }))).toBe(
    'Changed the settings of a.example',
  );
  expect(sayEvent(eventOf('member.role_changed', 'Joan', { from: { toString: 1 }, to: null }))).toBe(
    'Changed Joan from ? to ?',
  );
});
