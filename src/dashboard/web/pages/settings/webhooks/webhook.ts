/** What the customer's API answers about webhooks (docs/webhooks.md). Times are ISO 8601. */
import type { EventType } from '../../../../../webhooks/events.ts';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Null: all, also those that are added later. */
  readonly events: readonly EventType[] | null;
  readonly enabled: boolean;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  /** While it lies ahead, former secrets sign too. */
  readonly formerSecretUntil: string | null;
  readonly createdAt: string;
}

/** In the answers to creating and rotating only. */
export interface WebhookWithSecret extends Webhook {
  readonly secret: string;
}

export interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly deliveredAt: string | null;
  readonly createdAt: string;
}

/** All events that can be chosen, in words. */
export const EVENTS: Readonly<Record<EventType, string>> = {
  'upload.published': 'An upload is live',
  'upload.refused': 'An upload was refused',
  'upload.held': 'The guard held an upload back',
  'domain.verified': 'DNS of a domain is right',
  'domain.active': 'A domain is served with HTTPS',
  'domain.failed': 'A domain is no longer served',
  'certificate.failed': 'A certificate could not be had',
  'indexnow.completed': 'Changed URLs were submitted',
  'indexnow.failed': 'Changed URLs were not submitted',
};

/** `webhook.test` and those that a newer server knows cannot be chosen. */
export function sayEventType(type: string): string {
  if (type === 'webhook.test') return 'A test';
  return Object.hasOwn(EVENTS, type) ? EVENTS[type as EventType] : type;
}
