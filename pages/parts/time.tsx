/** A time as people say it, with the exact one behind it. */
import { dayAndTime, fromNow } from './format.ts';

export function Time({ at, absent = '–' }: { readonly at: string | null; readonly absent?: string }) {
  if (at === null) return <>{absent}</>;
  return (
    <time dateTime={at} title={dayAndTime(at)}>
      {fromNow(at)}
    </time>
  );
}
