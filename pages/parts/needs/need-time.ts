/** The time of a need in a few words: until when, or since when. */

import type { Need } from '../../../client/src/answers.ts';
import { timeNow } from '../../api/clock.ts';
import { dayInWords, fromNow, timeInWords } from '../format.ts';

export function needTime({ kind, severity, since, deadline }: Need, now = timeNow()): string {
  if (kind === 'uploadsRefused' && since !== null) return `Last try ${fromNow(since, now)}`;
  if (deadline === null) return since === null ? '' : `Since ${timeInWords(since, now)}`;
  if (kind === 'heldUpload') return `Discarded ${timeInWords(deadline, now)}`;
  const day = dayInWords(deadline, now);
  const onDay = /^\d/.test(day) ? `on ${day}` : day;
  if (kind === 'certificate') return `Valid until ${day}`;
  return severity === 'bad' ? `Not served from ${day}` : `Will be removed ${onDay}`;
}
