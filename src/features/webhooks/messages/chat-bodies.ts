/**
 * The bodies that chats take. Wherever a format has plain text, the words stand there; elsewhere they are escaped, so that a name
 * can neither call people, nor link, nor look like another part of the message.
 */
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

/** Slack: Block Kit. `text` is what notifications show. */
function slack(message: Message): object {
  const { tone, title, lines, url } = message;
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  return {
    text: escapeMarkup(whole(message)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(cut(`${MARKS[tone]}${title}`, 150)) },
      ...(lines.length > 0 ? [{ type: 'section', text: plain(cut(lines.join('\n'), 3000)) }] : []),
      ...(url === null ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: `<${url}|${OPEN}>` } }]),
    ],
  };
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

/** Discord: an embed, whose title is the link. */
function discord({ tone, title, lines, url }: Message): object {
  const color = { good: 0x2e7d32, bad: 0xc62828, plain: 0x546e7a }[tone];
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escapeMarkdown(cut(title, 120)),
        ...(lines.length > 0 && { description: escapeMarkdown(cut(lines.join('\n'), 2000)) }),
        ...(url !== null && { url }),
        color,
      },
    ],
  };
}

/** Google Chat: cards v2. The text of a paragraph has some HTML. */
function googleChat(message: Message): object {
  const { tone, title, lines, url } = message;
  const widgets = [
    ...(lines.length > 0 ? [{ textParagraph: { text: lines.map(escapeMarkup).join('<br>') } }] : []),
    ...(url === null ? [] : [{ buttonList: { buttons: [{ text: OPEN, onClick: { openLink: { url } } }] } }]),
  ];
  return {
    fallbackText: title,
    cardsV2: [
      {
        cardId: 'waypost',
        card: {
          header: { title: `${MARKS[tone]}${title}` },
          ...(widgets.length > 0 && { sections: [{ widgets }] }),
        },
      },
    ],
  };
}

/** Limits of chats count UTF-16 units. */
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

/** A colon of an address is one of the escaped characters, so that nothing becomes a link. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#@:-]/g, '\\$&');
}
