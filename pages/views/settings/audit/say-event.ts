/** Says the events of the audit log in words. Anybody may have written their subjects and details, so these are used only as text. */
import type { AuditEvent } from '../../../../src/edges/dashboard/wire.ts';

interface Words {
  /** The name in the list of kinds. */
  readonly name: string;
  readonly say: (subject: string, details: AuditEvent['details']) => string;
}

/** The words of each action. The list of kinds has the same order. */
export const ACTIONS = {
  'domain.added': { name: 'Domain added', say: (subject) => `Added the domain ${subject}` },
  'domain.changed': {
    name: 'Domain changed',
    say: (subject, { fields }) => `Changed ${fieldsOf(fields)} of ${subject}`,
  },
  'domain.deleted': { name: 'Domain deleted', say: (subject) => `Deleted the domain ${subject}` },
  'domain.verified_by_force': {
    name: 'Domain verified without a check',
    say: (subject) => `Verified the domain ${subject} without a look at DNS`,
  },
  'sitemap.rolled_back': {
    name: 'Sitemap rolled back',
    say: (subject, details) =>
      `Rolled the sitemap ${textOf(details.sitemapName)} of ${subject} back to version ${textOf(details.restores)}`,
  },
  'sitemap.changed': {
    name: 'Sitemap changed',
    say: (subject, details) =>
      `Changed when uploads of ${textOf(details.sitemapName)} of ${subject} are expected`,
  },
  'sitemap.deleted': {
    name: 'Sitemap deleted',
    say: (subject, details) => `Deleted the sitemap ${textOf(details.sitemapName)} of ${subject}`,
  },
  'schedule.set': {
    name: 'Schedule changed',
    say: (subject, details) =>
      `Changed the schedule of the sitemap ${textOf(details.sitemapName)} of ${subject}`,
  },
  'schedule.deleted': {
    name: 'Schedule deleted',
    say: (subject, details) =>
      `Deleted the schedule of the sitemap ${textOf(details.sitemapName)} of ${subject}`,
  },
  'schedule.hook_made': {
    name: 'Hook made',
    say: (subject, details) => `Made a hook for the sitemap ${textOf(details.sitemapName)} of ${subject}`,
  },
  'schedule.hook_deleted': {
    name: 'Hook deleted',
    say: (subject, details) => `Deleted the hook of the sitemap ${textOf(details.sitemapName)} of ${subject}`,
  },
  'upload.discarded': {
    name: 'Held upload discarded',
    say: (subject, details) =>
      `Discarded a held upload to the sitemap ${textOf(details.sitemapName)} of ${subject}`,
  },
  'upload.forced': {
    name: 'Held upload published',
    say: (subject, details) =>
      `Published an upload to the sitemap ${textOf(details.sitemapName)} of ${subject} in spite of the guard`,
  },
  'key.created': { name: 'Key created', say: (subject) => `Created the key “${subject}”` },
  'key.revoked': { name: 'Key revoked', say: (subject) => `Revoked the key “${subject}”` },
  'member.invited': {
    name: 'Member invited',
    say: (_, { role }) => `Invited somebody as ${role === 'owner' ? 'an owner' : 'a member'}`,
  },
  'member.joined': { name: 'Member joined', say: (subject) => `${subject} joined` },
  'member.role_changed': {
    name: 'Role changed',
    say: (subject, { from, to }) => `Changed ${subject} from ${textOf(from)} to ${textOf(to)}`,
  },
  'member.removed': {
    name: 'Member removed',
    say: (subject, { left }) => (left === true ? `${subject} left` : `Removed ${subject}`),
  },
  'invitation.revoked': { name: 'Invitation revoked', say: () => 'Revoked an invitation' },
  'webhook.added': { name: 'Webhook added', say: (subject) => `Added a webhook to ${subject}` },
  'webhook.changed': {
    name: 'Webhook changed',
    say: (subject, { fields }) => `Changed ${fieldsOf(fields)} of the webhook to ${subject}`,
  },
  'webhook.deleted': { name: 'Webhook deleted', say: (subject) => `Deleted the webhook to ${subject}` },
  'connection.set': {
    name: 'Connection set',
    say: (subject) => `Set the connection ${subject} to buckets`,
  },
  'connection.deleted': {
    name: 'Connection deleted',
    say: (subject) => `Deleted the connection ${subject}`,
  },
  'session.started': { name: 'Signed in', say: () => 'Signed in' },
  'sign_in_link.made': { name: 'Sign-in link made', say: () => 'Made a link that signs in once' },
  'identity.linked': {
    name: 'Way to sign in added',
    say: (subject) => `Added a way to sign in: ${subject}`,
  },
  'identity.unlinked': {
    name: 'Way to sign in removed',
    say: (subject) => `Removed a way to sign in: ${subject}`,
  },
  'account.created': { name: 'Account created', say: () => 'Created the account' },
  'account.changed': {
    name: 'Account changed',
    say: (_, { fields }) => `Changed ${fieldsOf(fields)} of the account`,
  },
  'account.renamed': {
    name: 'Account renamed',
    say: (subject, { from }) => `Renamed the account from “${textOf(from)}” to “${subject}”`,
  },
  'account.plan_changed': {
    name: 'Plan changed',
    say: (_, { from, to }) => `Changed the plan from ${textOf(from)} to ${textOf(to)}`,
  },
  'account.suspended': { name: 'Account suspended', say: () => 'Suspended the account' },
  'account.resumed': { name: 'Account resumed', say: () => 'Resumed the account' },
} satisfies Record<string, Words>;

/** Says an event. An action that only a newer service knows is shown by its name and subject. */
export function sayEvent({ action, subject, details }: AuditEvent): string {
  const words: Words | undefined = Object.hasOwn(ACTIONS, action)
    ? ACTIONS[action as keyof typeof ACTIONS]
    : undefined;
  return words === undefined ? `${action}: ${subject}` : words.say(subject, details);
}

function fieldsOf(fields: unknown): string {
  return Array.isArray(fields) && fields.length > 0 ? fields.map(textOf).join(', ') : 'the settings';
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}
