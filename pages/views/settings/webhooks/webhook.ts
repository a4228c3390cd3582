/** The formats and the events of webhooks, in words (docs/webhooks.md). */
import type { Webhook } from '../../../../client/src/answers.ts';
import type { EventType } from '../../../../src/features/webhooks/events.ts';

export const FORMATS: Readonly<Record<Webhook['format'], string>> = {
  json: 'JSON, for programs',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  'google-chat': 'Google Chat',
};

/** The hosts of the addresses that chats give out. A name that begins with a dot stands for all hosts below it. */
const CHATS: readonly (readonly [host: string, format: Webhook['format']])[] = [
  ['hooks.slack.com', 'slack'],
  ['.webhook.office.com', 'teams'],
  ['.logic.azure.com', 'teams'],
  ['.api.powerplatform.com', 'teams'],
  ['discord.com', 'discord'],
  ['discordapp.com', 'discord'],
  ['chat.googleapis.com', 'google-chat'],
];

/** Returns the format for an address of a chat; undefined for all others. */
export function formatFor(url: string): Webhook['format'] | undefined {
  const host = URL.parse(url.trim())?.hostname ?? '';
  return CHATS.find(([name]) => (name.startsWith('.') ? host.endsWith(name) : host === name))?.[1];
}

export const EVENTS: Readonly<Record<EventType, string>> = {
  'upload.published': 'An upload is live',
  'upload.unchanged': 'An upload changed nothing (only if chosen)',
  'upload.refused': 'An upload was refused',
  'upload.held': 'The guard held an upload back',
  'sitemap.stale': 'An upload is late',
  'sitemap.fresh': 'A late sitemap is uploaded',
  'load.failed': 'A scheduled load failed',
  'load.recovered': 'A scheduled load works again',
  'domain.verified': 'DNS of a domain is right',
  'domain.active': 'A domain is served with HTTPS',
  'domain.failed': 'A domain is no longer served',
  'certificate.failed': "A certificate couldn't be issued",
  'indexnow.completed': 'Changed URLs were submitted',
  'indexnow.failed': 'Changed URLs were not submitted',
  'need.opened': 'Something needs you (only if chosen)',
  'need.closed': 'It is over (only if chosen)',
};

/** Says the type of an event. `webhook.test`, and types that only a newer service knows, are not in `EVENTS`. */
export function sayEventType(type: string): string {
  if (type === 'webhook.test') return 'A test';
  return Object.hasOwn(EVENTS, type) ? EVENTS[type as EventType] : type;
}
