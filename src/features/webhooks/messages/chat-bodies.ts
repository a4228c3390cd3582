/**
 * The bodies that chats take, in the types that Slack, Discord and Google publish. Where a format has plain text, the words are plain text.
 * Elsewhere they are escaped, so that a name cannot mention people, become a link, or look like another part of the message.
 */
import type { chat_v1 as GoogleChat } from '@googleapis/chat';
import type { KnownBlock, PlainTextElement } from '@slack/types';
import type { APIEmbed, RESTPostAPIWebhookWithTokenJSONBody as DiscordBody } from 'discord-api-types/v10';
import type { ChatFormat } from '../formats.ts';
import type { Message } from './message.ts';

const OPEN = 'Open in Waypost';

export function chatBody(format: ChatFormat, message: Message): string {
  return JSON.stringify(BODIES[format](message));
}

const BODIES: Readonly<Record<ChatFormat, (message: Message) => object>> = {
  slack,
  teams,
  discord,
  'google-chat': googleChat,
};

const whole = ({ title, lines }: Message) => [title, ...lines].join('\n');
const MARKS = { good: '✅ ', bad: '⚠️ ', plain: '' } as const;

/** Slack: Block Kit. Notifications show `text`. */
function slack(message: Message): object {
  const { tone, title, lines, url } = message;
  const plain = (text: string): PlainTextElement => ({ type: 'plain_text', text, emoji: false });
  const blocks: KnownBlock[] = [{ type: 'header', text: plain(cut(`${MARKS[tone]}${title}`, 150)) }];
  if (lines.length > 0) blocks.push({ type: 'section', text: plain(cut(lines.join('\n'), 3000)) });
  if (url !== null) blocks.push({ type: 'section', text: { type: 'mrkdwn', text: `<${url}|${OPEN}>` } });
  const text = escapeMarkup(whole(message));
  return { text, mrkdwn: false, unfurl_links: false, unfurl_media: false, blocks };
}

/** Microsoft Teams: an Adaptive Card 1.5. A TextRun has no Markdown, unlike a TextBlock. */
function teams(message: Message): object {
  const { tone, title, lines, url } = message;
  const block = (run: object) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] });
  const color = { good: 'Good', bad: 'Attention', plain: 'Default' }[tone];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.5',
          fallbackText: title,
          body: [
            block({ text: title, weight: 'Bolder', size: 'Medium', color }),
            ...lines.map((text) => block({ text })),
          ],
          ...(url !== null && { actions: [{ type: 'Action.OpenUrl', title: OPEN, url }] }),
        },
      },
    ],
  };
}

/** Makes the body for Discord: an embed. Its title is the link. */
function discord({ tone, title, lines, url }: Message): DiscordBody {
  const color = { good: 0x2e7d32, bad: 0xc62828, plain: 0x546e7a }[tone];
  const embed: APIEmbed = { title: escapeMarkdown(cut(title, 120)), color };
  if (lines.length > 0) embed.description = escapeMarkdown(cut(lines.join('\n'), 2000));
  if (url !== null) embed.url = url;
  return { allowed_mentions: { parse: [] }, embeds: [embed] };
}

/** Google Chat: cards v2. The text of a paragraph may have some HTML, so lines are escaped. */
function googleChat({ tone, title, lines, url }: Message): GoogleChat.Schema$Message {
  const widgets: GoogleChat.Schema$GoogleAppsCardV1Widget[] = [];
  if (lines.length > 0) widgets.push({ textParagraph: { text: lines.map(escapeMarkup).join('<br>') } });
  if (url !== null) {
    widgets.push({ buttonList: { buttons: [{ text: OPEN, onClick: { openLink: { url } } }] } });
  }
  const card: GoogleChat.Schema$GoogleAppsCardV1Card = { header: { title: `${MARKS[tone]}${title}` } };
  if (widgets.length > 0) card.sections = [{ widgets }];
  return { fallbackText: title, cardsV2: [{ cardId: 'waypost', card }] };
}

/** Cuts a text to at most `most` UTF-16 units, in which chats count their limits. */
function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes Markdown. The colon of an address is escaped too, so that no text becomes a link. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#@:-]/g, '\\$&');
}
