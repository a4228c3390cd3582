/**
 * What each chat takes, by its public documentation: Block Kit (docs.slack.dev/reference/block-kit), Adaptive Cards 1.5
 * (adaptivecards.io/explorer) in a message for an incoming webhook of Teams, embeds (docs.discord.com, Message Object), and cards v2
 * (developers.google.com/workspace/chat/api/reference). The compiler holds the bodies against the types that Slack, Discord and Google
 * publish. Here are the limits, and only the members that we use, so none slips in.
 */
import { z } from 'zod';
import type { ChatFormat } from '../../src/features/webhooks/formats.ts';

const text = (most: number) => z.string().min(1).max(most);
const url = z.url({ protocol: /^https?$/ }).max(2048);

const plainText = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(most), emoji: z.boolean().optional() });
const slackBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plainText(150) }),
  z.strictObject({
    type: z.literal('section'),
    text: z.union([plainText(3000), z.strictObject({ type: z.literal('mrkdwn'), text: text(3000) })]),
  }),
]);
const slack = z.strictObject({
  text: text(40_000),
  mrkdwn: z.boolean(),
  unfurl_links: z.boolean(),
  unfurl_media: z.boolean(),
  blocks: z.array(slackBlock).min(1).max(50),
});

const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
  color: z.enum(['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention']).optional(),
});
const teams = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.5'),
        fallbackText: z.string(),
        body: z
          .array(z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(textRun).min(1) }))
          .min(1),
        actions: z
          .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url }))
          .max(6)
          .optional(),
      }),
    }),
  ]),
});

const discord = z.strictObject({
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  embeds: z
    .array(
      z.strictObject({
        title: text(256),
        description: text(4096).optional(),
        url: url.optional(),
        color: z.int().min(0).max(0xffffff),
      }),
    )
    .min(1)
    .max(10),
});

const widget = z.union([
  z.strictObject({ textParagraph: z.strictObject({ text: z.string().min(1) }) }),
  z.strictObject({
    buttonList: z.strictObject({
      buttons: z
        .array(
          z.strictObject({
            text: z.string().min(1),
            onClick: z.strictObject({ openLink: z.strictObject({ url }) }),
          }),
        )
        .min(1),
    }),
  }),
]);
const googleChat = z.strictObject({
  fallbackText: z.string().min(1),
  cardsV2: z.tuple([
    z.strictObject({
      cardId: z.string().min(1),
      card: z.strictObject({
        header: z.strictObject({ title: z.string().min(1) }),
        sections: z
          .array(z.strictObject({ widgets: z.array(widget).min(1) }))
          .min(1)
          .optional(),
      }),
    }),
  ]),
});

export const CHAT_SCHEMAS = { slack, teams, discord, 'google-chat': googleChat } satisfies Record<
  ChatFormat,
  z.ZodType
>;

/** The most bytes of a body. Slack and Discord count characters of its parts instead. */
export const MAX_BYTES: Readonly<Record<ChatFormat, number>> = {
  slack: 100_000,
  teams: 28 * 1024,
  discord: 100_000,
  'google-chat': 32_000,
};
