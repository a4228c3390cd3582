/**
 * Prepares text from DNS for messages and answers. The owner of the record may be hostile, so control characters are replaced and long text
 * is cut.
 */
import { firstCodePoints, hasAtMostCodePoints } from '../../platform/code-points.ts';

const MAX_LENGTH = 255;

export function shownText(text: string): string {
  const plain = text.replace(/[\p{C}\p{Bidi_Control}\u2028\u2029\ufffd]/gu, '?');
  return hasAtMostCodePoints(plain, MAX_LENGTH) ? plain : `${firstCodePoints(plain, MAX_LENGTH)}…`;
}
