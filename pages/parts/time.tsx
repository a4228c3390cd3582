/** A time in words, as in `7 min ago`. The exact time is shown while the mouse rests on the words. */
import { dayAndTime, fromNow } from './format.ts';
import { useNow } from './use-now.ts';

export function Time({ at, absent = '–' }: { readonly at: string | null; readonly absent?: string }) {
  const now = useNow();
  if (at === null) return <>{absent}</>;
  return (
    <time dateTime={at} title={dayAndTime(at)}>
      {fromNow(at, now)}
    </time>
  );
}
