/** The message of an event, as a chat or a mail shows it to people. */
import { firstCodePoints, hasAtMostCodePoints } from '../../../platform/code-points.ts';

export interface Message {
  /** `bad`: a person has to act, or something failed. */
  readonly tone: 'good' | 'bad' | 'plain';
  /** A sentence without its full stop. At most 150 characters, none of them a control character or a line break. */
  readonly title: string;
  /** The lines of text: at most 20. If there are at most three, a line has at most 500 characters, otherwise 150. */
  readonly lines: readonly string[];
  /** The address to look at, as in https://waypost.example.net/dashboard. Null: the address of the dashboard is not known. */
  readonly url: string | null;
}

export const MAX_TITLE = 150;
export const MAX_LINE = 500;

/** Makes one line of a text, because names and other texts of customers may contain any characters. */
export function oneLine(text: string, most: number): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
    .trim();
  return hasAtMostCodePoints(plain, most) ? plain : `${firstCodePoints(plain, most - 1)}…`;
}
