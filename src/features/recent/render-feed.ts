/** The feed of changes, `/changes.atom`: entries for added and changed URLs (RFC 4287), and tombstones for removed URLs (RFC 6721). */
import { FEED_FILE } from '../../core/sitemap/file-names.ts';
import { escapeText } from '../../core/sitemap/xml-text.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { Change } from './recent-state.ts';

interface FeedTerms {
  readonly hostname: string;
  /** The origin of the site, as in https://maps.example.com. */
  readonly origin: string;
  /** The WebSub hub to which we announce each new version. Undefined: there is no hub. */
  readonly hub: string | undefined;
}

const timeOf = (seconds: number) => isoSeconds(new Date(1000 * seconds));

/** Renders the feed. `changes`: at least one, newest first. */
export function renderFeed(
  changes: readonly [Change, ...Change[]],
  { hostname, origin, hub }: FeedTerms,
): string {
  const host = escapeText(hostname);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:at="http://purl.org/atompub/tombstones/1.0">',
    // The id is not an address, so it stays the same when the site moves to HTTPS.
    `<id>tag:${host},2026:changes</id>`,
    `<title>Changes of ${host}</title>`,
    `<author><name>${host}</name></author>`,
    `<updated>${timeOf(changes[0].at)}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${escapeText(feedUrl(origin))}"/>`,
    ...(hub === undefined ? [] : [`<link rel="hub" href="${escapeText(hub)}"/>`]),
    ...changes.map(renderChange),
    '</feed>',
  ];
  return `${lines.join('\n')}\n`;
}

export const feedUrl = (origin: string) => `${origin}/${FEED_FILE}`;

function renderChange({ at, loc, isRemoved }: Change): string {
  const url = escapeText(loc);
  if (isRemoved) return `<at:deleted-entry ref="${url}" when="${timeOf(at)}"/>`;
  return `<entry><id>${url}</id><title>${url}</title><updated>${timeOf(at)}</updated><link href="${url}"/></entry>`;
}
