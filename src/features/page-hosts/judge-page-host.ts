/** Judges a robots.txt: its effect on the sitemaps of a domain, as a state and as a message for the customer. */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { shownText } from '../domains/shown-text.ts';
import { type SiteOrigins, siteOrigin } from '../sites/site.ts';
import { type NamedSitemaps, namedSitemaps, sitemapLine } from './named-sitemaps.ts';
import { isHostOf, type PageHostState, robotsUrlOf } from './page-host.ts';
import type { RobotsReading } from './read-robots.ts';
import { unreachableMessage } from './unreachable-message.ts';

export interface JudgedHost extends SiteOrigins {
  readonly origin: string;
  /** The domain whose sitemaps list pages of the host. */
  readonly hostname: string;
  /** The names of the sitemaps that list pages of the host, at least one. */
  readonly sitemapNames: readonly string[];
  /** Whether the domain's site has a certificate. */
  readonly isSecure: boolean;
}

export interface Judgement {
  readonly state: PageHostState;
  readonly message: string;
}

const MAX_NAMES_SHOWN = 5;

export function judgePageHost(host: JudgedHost, reading: RobotsReading): Judgement {
  const robotsUrl = robotsUrlOf(host.origin);
  if (reading.kind === 'unreachable') {
    return { state: 'unreachable', message: unreachableMessage(robotsUrl, shownText(reading.why)) };
  }
  const disallowed = reading.kind === 'read' ? reading.disallowed : [];
  const forbids =
    disallowed.length === 0
      ? []
      : [
          `It disallows ${disallowed.join(' and ')} all pages that no line of it allows, so they are not crawled.`,
          'Remove that Disallow line.',
        ];
  const { state, sentences } = isHostOf(host.hostname, host.origin)
    ? {
        state: 'found' as const,
        sentences: [`The sitemaps are on ${host.hostname} too, so it needs no line.`],
      }
    : judgeLines(host, robotsUrl, reading);
  return {
    state: state === 'found' && forbids.length > 0 ? 'disallowed' : state,
    message: [...sentences, ...forbids].join(' '),
  };
}

function judgeLines(
  host: JudgedHost,
  robotsUrl: string,
  reading: Exclude<RobotsReading, { kind: 'unreachable' }>,
): { readonly state: PageHostState; readonly sentences: readonly string[] } {
  const ownOrigin = siteOrigin(host, host.hostname, host.isSecure);
  const line = `“${sitemapLine(ownOrigin)}”`;
  const effect = `so crawlers drop the URLs of ${host.origin}`;
  if (reading.kind === 'absent') {
    const sentence = `There is no ${robotsUrl} (${shownText(reading.why)}), ${effect}.`;
    return { state: 'missing', sentences: [sentence, `Make one with the line ${line}.`] };
  }
  const named = namedSitemaps(reading.sitemaps, ownOrigin);
  const unnamed = named.all ? [] : host.sitemapNames.filter((name) => !named.names.has(name));
  if (unnamed.length === 0) return { state: 'found', sentences: [`${robotsUrl} names your sitemaps.`] };
  const cure = [...nearMissOf(named), `Add the line ${line}.`];
  if (unnamed.length === host.sitemapNames.length) {
    return { state: 'missing', sentences: [`${robotsUrl} does not name your sitemaps, ${effect}.`, ...cure] };
  }
  const sentence = `${robotsUrl} does not name ${shownNames(unnamed)}, ${effect} in there.`;
  return { state: 'partly', sentences: [sentence, ...cure] };
}

function nearMissOf({ nearMiss }: NamedSitemaps): string[] {
  if (nearMiss === undefined) return [];
  return [
    `Its line “Sitemap: ${shownText(nearMiss)}” is no address of a sitemap: scheme, host, port and path must be those below.`,
  ];
}

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES_SHOWN).map(shownSitemapName);
  const left = names.length - shown.length;
  const more = left === 0 ? '' : ` and ${left} more`;
  return `the ${names.length === 1 ? 'sitemap' : 'sitemaps'} ${shown.join(', ')}${more}`;
}
