/** Events of webhooks, in words (docs/webhooks.md). */
import type { EventType } from '../../../../src/features/webhooks/events.ts';

/** All events that can be chosen, in words. */
export const EVENTS: Readonly<Record<EventType, string>> = {
  'upload.published': 'An upload is live',
  'upload.unchanged': 'An upload changed nothing (only if chosen)',
  'upload.refused': 'An upload was refused',
  'upload.held': 'The guard held an upload back',
  'domain.verified': 'DNS of a domain is right',
  'domain.active': 'A domain is served with HTTPS',
  'domain.failed': 'A domain is no longer served',
  'certificate.failed': "A certificate couldn't be issued",
  'indexnow.completed': 'Changed URLs were submitted',
  'indexnow.failed': 'Changed URLs were not submitted',
};

/** `webhook.test` and those that a newer server knows cannot be chosen. */
export function sayEventType(type: string): string {
  if (type === 'webhook.test') return 'A test';
  return Object.hasOwn(EVENTS, type) ? EVENTS[type as EventType] : type;
}
