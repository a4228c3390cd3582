/** A time in words, as in `7 min ago`. The exact time is shown while the mouse rests on the words. */
import { dayAndTime, fromNow } from './format.ts';

export function Time({ at, absent = '–' }: { readonly at: string | null; readonly absent?: string }) {
  if (at === null) return <>{absent}</>;
  return (
    <time dateTime={at} title={dayAndTime(at)}>
      {fromNow(at)}
    </time>
  );
}
