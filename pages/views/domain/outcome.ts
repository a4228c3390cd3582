/** Says the outcome of an upload, in a word and a sentence. */
import type { UploadAttempt } from '../../../client/src/answers.ts';
import { counted } from '../../parts/format.ts';
import { isDelta } from '../../parts/is-delta.ts';
import type { Tone } from '../../parts/tone.ts';
import { sayMistake, sayViolation } from '../upload/mistakes/say-mistake.ts';

export const OUTCOMES: Readonly<
  Record<UploadAttempt['outcome'], { readonly tone: Tone; readonly word: string }>
> = {
  running: { tone: 'busy', word: 'Under way' },
  published: { tone: 'good', word: 'Published' },
  unchanged: { tone: 'neutral', word: 'Unchanged' },
  refused: { tone: 'bad', word: 'Refused' },
  held: { tone: 'waiting', word: 'Held' },
  failed: { tone: 'bad', word: 'Failed' },
  abandoned: { tone: 'neutral', word: 'Broken off' },
  dry_run: { tone: 'neutral', word: 'Only checked' },
  canceled: { tone: 'neutral', word: 'Cancelled' },
};

/** Sentences for outcomes that have no message. */
const REASONS: Partial<Readonly<Record<UploadAttempt['outcome'], string>>> = {
  failed: 'A fault of the service ended it, and nothing was published. Send it again.',
  abandoned: 'The connection ended before the upload was complete, so nothing was published.',
  unchanged: 'The sitemap had these URLs already, so nothing was published.',
  dry_run: 'It was checked, and nothing was published.',
  canceled: 'It was cancelled, and nothing was published.',
};

type Told = Pick<UploadAttempt, 'id' | 'outcome' | 'message'> &
  Partial<Pick<UploadAttempt, 'errors' | 'errorCount'>>;

/** Returns the sentence. Undefined if there is nothing to say. */
export function reasonOf({ id, outcome, message, errors = [], errorCount = 0 }: Told): string | undefined {
  if (outcome === 'held')
    return 'It would remove more URLs than the guard of the domain allows. Its files are kept for 24 hours.';
  if (outcome === 'unchanged' && isDelta(id))
    return 'The sitemap was already as the update says, so nothing was published.';
  const [first] = errors;
  if (first !== undefined)
    return sayViolation(first) + (errorCount > 1 ? `, and ${counted(errorCount - 1, 'more mistake')}` : '');
  return message === null ? REASONS[outcome] : sayMistake(message).title;
}

const HELD_MS = 24 * 3_600_000;

/** Returns whether the upload is held and its files are still kept, so that it can be published. `now`: in milliseconds since 1970. */
export function isStillHeld(
  { outcome, endedAt }: Pick<UploadAttempt, 'outcome' | 'endedAt'>,
  now: number,
): boolean {
  return outcome === 'held' && endedAt !== null && now - new Date(endedAt).getTime() < HELD_MS;
}
