/** Makes the message of each event. Its words follow the rules for the words of needs (docs/decisions/0063). */
import { counted, everyHours } from '../../../platform/words.ts';
import type { EventData, NeedEntry } from '../events.ts';
import { MAX_LINE, MAX_TITLE, type Message, oneLine } from './message.ts';

/** A longer path is left out, because chats take addresses of up to 2,048 characters. The names that we accept make shorter paths. */
const MAX_PATH = 1500;

/** In a message with more lines than this, each line is as short as a title. */
const FEW_LINES = 3;

interface Said {
  readonly tone: Message['tone'];
  readonly title: string;
  readonly lines?: readonly (string | null)[];
  /** The path below /dashboard. */
  readonly path: string;
}

/** Makes the message of an event. `origin`: the origin of the dashboard, if it is known. */
export function messageOf<Type extends keyof EventData>(
  type: Type,
  data: EventData[Type],
  origin: string | undefined,
): Message {
  const { tone, title, lines = [], path } = saidOf(type, data);
  return {
    tone,
    title: oneLine(title, MAX_TITLE) || 'Waypost',
    lines: lines.flatMap(
      (line) => oneLine(line ?? '', lines.length > FEW_LINES ? MAX_TITLE : MAX_LINE) || [],
    ),
    url: origin === undefined ? null : `${origin}/dashboard${path.length > MAX_PATH ? '' : path}`,
  };
}

/**
 * A newer version may have written the event, before operators went back to this one. Such an event must not hold up the events after it.
 */
function saidOf<Type extends keyof EventData>(type: Type, data: EventData[Type]): Said {
  return Object.hasOwn(SAID, type) ? SAID[type](data) : { tone: 'plain', title: type, path: '' };
}

type OfDomain = Pick<NeedEntry, 'domainId'>;
const domainPath = ({ domainId }: OfDomain, rest = '') => `/domains/${encodeURIComponent(domainId)}${rest}`;
const uploadsPath = (data: OfDomain) => domainPath(data, '/uploads');
const sitemapPath = (data: OfDomain & { readonly sitemapName: string }) =>
  domainPath(data, `/sitemaps/${encodeURIComponent(data.sitemapName.toWellFormed())}`);

const urls = (count: number) => `${counted(count)} ${count === 1 ? 'URL' : 'URLs'}`;
const quoted = (name: string | null) => (name === null ? 'An upload' : `“${name}”`);
/** Returns a time as in 15 Jan, 10:00 UTC. */
const timeOf = (iso: string) =>
  `${new Date(iso).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })} UTC`;

const severalOf = (count: number, needs: readonly NeedEntry[]) =>
  count === 1 ? needs[0]!.title : `${needs[0]!.title}, and ${counted(count - 1)} more`;

/** Returns the path of the sitemap or the domain of a single need; the path of the first page for several needs. */
function pathOf(count: number, needs: readonly NeedEntry[]): string {
  const { sitemapName, ...domain } = needs[0]!;
  if (count > 1) return '';
  return sitemapName === null ? domainPath(domain) : sitemapPath({ ...domain, sitemapName });
}

const SAID: { readonly [Type in keyof EventData]: (data: EventData[Type]) => Said } = {
  'upload.published': (data) => ({
    tone: 'good',
    title: `“${data.sitemapName}” was ${data.kind === 'rollback' ? 'rolled back' : 'published'}: ${urls(data.urlCount)}`,
    lines: [data.domain, data.sitemapUrl],
    path: sitemapPath(data),
  }),
  'upload.unchanged': (data) => ({
    tone: 'plain',
    title: `An upload of “${data.sitemapName}” changed nothing`,
    lines: [`${data.domain} · ${urls(data.urlCount)}`],
    path: sitemapPath(data),
  }),
  'upload.refused': (data) => ({
    tone: 'bad',
    title: `${quoted(data.sitemapName)} was refused`,
    lines: [data.domain, data.message],
    path: uploadsPath(data),
  }),
  'upload.held': (data) => ({
    tone: 'bad',
    title: `“${data.sitemapName}” would lose ${counted(data.removed)} of its ${urls(data.formerUrlCount)}`,
    lines: [`${data.domain} · Upload held until ${timeOf(data.heldUntil)}. Publish or discard it`],
    path: domainPath(data),
  }),
  'sitemap.stale': (data) => ({
    tone: 'bad',
    title: `“${data.sitemapName}” is late`,
    lines: [
      `${data.domain} · An upload is expected ${everyHours(data.expectEveryHours)}. One was due ${timeOf(data.dueAt)}`,
    ],
    path: sitemapPath(data),
  }),
  'sitemap.fresh': (data) => ({
    tone: 'good',
    title: `“${data.sitemapName}” was uploaded again`,
    lines: [`${data.domain} · It was late since ${timeOf(data.staleSince)}`],
    path: sitemapPath(data),
  }),
  'load.failed': (data) => ({
    tone: 'bad',
    title: `“${data.sitemapName}” couldn't be loaded`,
    lines: [data.domain, data.message],
    path: uploadsPath(data),
  }),
  'load.recovered': (data) => ({
    tone: 'good',
    title: `“${data.sitemapName}” is loaded again`,
    lines: [data.domain],
    path: sitemapPath(data),
  }),
  'domain.verified': (data) => ({
    tone: 'good',
    title: `The DNS of ${data.domain} is right`,
    path: domainPath(data),
  }),
  'domain.active': (data) => ({
    tone: 'good',
    title: `${data.domain} has a certificate`,
    path: domainPath(data),
  }),
  'domain.failed': (data) => ({
    tone: 'bad',
    title: `${data.domain} isn't served any more`,
    lines: [data.message],
    path: domainPath(data),
  }),
  'certificate.failed': (data) => ({
    tone: 'bad',
    title: `${data.domain}: no certificate`,
    lines: [data.message, data.nextAttemptAt && `Next try ${timeOf(data.nextAttemptAt)}`],
    path: domainPath(data),
  }),
  'indexnow.completed': (data) => ({
    tone: 'good',
    title: `Changes of “${data.sitemapName}” were submitted: ${urls(data.urlsSubmitted)}`,
    lines: [data.domain],
    path: sitemapPath(data),
  }),
  'indexnow.failed': (data) => ({
    tone: 'bad',
    title: `${urls(data.urlCount)} of ${data.host ?? data.domain} weren't submitted`,
    lines: [`${data.domain} · ${data.message}`],
    path: domainPath(data),
  }),
  'need.opened': ({ count, needs }) => ({
    tone: 'bad',
    title: severalOf(count, needs),
    lines: count === 1 ? [needs[0]!.detail] : needs.map(({ title }) => title),
    path: pathOf(count, needs),
  }),
  'need.closed': ({ count, needs }) => ({
    tone: 'good',
    title: `Over: ${severalOf(count, needs)}`,
    lines: count === 1 ? [needs[0]!.domain] : needs.map(({ title }) => title),
    path: pathOf(count, needs),
  }),
  'digest.weekly': ({ urlCount, domainCount, published, refused, needsCount, needs }) => ({
    tone: 'plain',
    title: `Your week: ${needsCount === 0 ? 'nothing needs you' : `${counted(needsCount)} ${needsCount === 1 ? 'thing needs' : 'things need'} you`}`,
    lines: [
      `${urls(urlCount)} in ${counted(domainCount)} ${domainCount === 1 ? 'domain' : 'domains'}`,
      `Uploads: ${counted(published)} published, ${counted(refused)} refused`,
      ...needs,
    ],
    path: '',
  }),
  'mail.proof': () => ({
    tone: 'plain',
    title: 'Confirm your address for mails of Waypost',
    lines: ['Somebody wants to get mails of Waypost at this address. The link works for two days.'],
    path: '/settings/notifications',
  }),
  'webhook.test': () => ({
    tone: 'plain',
    title: 'This is a test of your webhook',
    path: '/settings/webhooks',
  }),
};
