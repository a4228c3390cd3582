/** The times of a schedule in words, and its next runs as the service computes them. */
import { dayAndTime } from '../../parts/format.ts';

export interface NextRunsProps {
  readonly words: string | null;
  readonly times: readonly string[];
}

export function NextRuns({ words, times }: NextRunsProps) {
  return (
    <div class="lines">
      <p>{words ?? 'When its hook is called'}</p>
      {times.length > 0 && (
        <p class="quiet spread">
          <span>Next:</span>
          {times.map((at) => (
            <time key={at} dateTime={at}>
              {dayAndTime(at)}
            </time>
          ))}
        </p>
      )}
    </div>
  );
}
