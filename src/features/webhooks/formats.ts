/** The forms in which a webhook gets events. */

export const CHAT_FORMATS = ['slack', 'teams', 'discord', 'google-chat'] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];

/** `json`: for programs. The others: a message for people. */
export const FORMATS = ['json', ...CHAT_FORMATS] as const;
export type Format = (typeof FORMATS)[number];
