/** The schedule of a sitemap: its times and sources, its last run, the buttons to change, run, pause and delete it, and its hook. */
import { useState } from 'preact/hooks';
import type { Schedule } from '../../../client/src/answers.ts';
import { Action } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { State } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { OUTCOMES } from '../domain/outcome.ts';
import { Hook } from './hook.tsx';
import { NextRuns } from './next-runs.tsx';
import { useSchedule, useScheduleWork } from './schedule.ts';
import { ScheduleForm } from './schedule-form.tsx';
import type { SitemapId } from './sitemap-queries.ts';

export function ScheduleCard({ sitemap }: { readonly sitemap: SitemapId }) {
  const schedule = useSchedule(sitemap);
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Schedule">
      <WhenLoaded query={schedule}>
        {(found) => (
          <>
            {found === null ? (
              <p>
                We can reload this sitemap automatically, from a list or a sitemap at an address of yours.
              </p>
            ) : (
              <Shown schedule={found} />
            )}
            <div class="buttons">
              <button type="button" onClick={() => setOpen(true)}>
                {found === null ? 'Make schedule' : 'Change schedule'}
              </button>
              {found !== null && <Work sitemap={sitemap} schedule={found} />}
            </div>
            {found !== null && <Hook sitemap={sitemap} hasHook={found.hook} />}
            {isOpen && <ScheduleForm sitemap={sitemap} schedule={found} onClose={() => setOpen(false)} />}
          </>
        )}
      </WhenLoaded>
    </Card>
  );
}

function Shown({ schedule }: { readonly schedule: Schedule }) {
  const { words, nextRuns, enabled, load, runs, uploadId, asked, waiting } = schedule;
  const last = runs.find(({ outcome }) => outcome !== null);
  return (
    <>
      <NextRuns words={enabled ? words : `Paused. ${words ?? ''}`} times={nextRuns} />
      <p class="quiet">{load.sources.join(', ')}</p>
      {(uploadId !== null || asked) && (
        <p>{waiting ? 'It waits for another load of your account to end.' : 'It is loading now, or soon.'}</p>
      )}
      {last && (
        <p>
          <LastOutcome outcome={last.outcome!} /> <Time at={last.endedAt ?? last.beganAt} />
          {last.message !== null && <span class="below">{last.message}</span>}
        </p>
      )}
    </>
  );
}

function LastOutcome({ outcome }: { readonly outcome: NonNullable<Schedule['runs'][number]['outcome']> }) {
  if (outcome === 'skipped') return <State tone="neutral">Skipped</State>;
  const { tone, word } = OUTCOMES[outcome];
  return <State tone={tone}>{word}</State>;
}

interface WorkProps {
  readonly sitemap: SitemapId;
  readonly schedule: Schedule;
}

function Work({ sitemap, schedule: { enabled } }: WorkProps) {
  const { setEnabled, runNow, remove } = useScheduleWork(sitemap);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Action
        work={async () => {
          await runNow();
          announce('It runs soon.');
        }}
      >
        Run now
      </Action>
      <Action work={() => setEnabled(!enabled)}>{enabled ? 'Pause' : 'Resume'}</Action>
      <button type="button" onClick={() => setDeleting(true)}>
        Delete schedule
      </button>
      {isDeleting && (
        <Confirm
          title={`Delete the schedule of ${sitemap.name}?`}
          verb="Delete schedule"
          kind="danger"
          work={async () => {
            await remove();
            announce('The schedule is deleted.');
          }}
          onClose={() => setDeleting(false)}
        >
          <p>The sitemap stays as it is. Its hook, if it has one, is gone.</p>
        </Confirm>
      )}
    </>
  );
}
