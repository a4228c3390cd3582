/** When a schedule runs, and its next three times as the service computes them. */
import { Time } from '../../parts/time.tsx';

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
            <Time key={at} at={at} />
          ))}
        </p>
      )}
    </div>
  );
}
