/** The form for the schedule of a sitemap: its addresses, its times, and its time zone. */
import { useState } from 'preact/hooks';
import type { Schedule } from '../../../client/src/answers.ts';
import { useWork } from '../../parts/action.tsx';
import { announce } from '../../parts/announce.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Field } from '../../parts/field.tsx';
import { messageOf } from '../../parts/states.tsx';
import { NextRuns } from './next-runs.tsx';
import { usePreview, useScheduleWork } from './schedule.ts';
import type { SitemapId } from './sitemap-queries.ts';

/** The repetitions to choose from, each with a function that returns its cron expression. */
const REPEATS = [
  ['day', 'Every day', (hour: number, minute: number) => `${minute} ${hour} * * *`],
  ['weekdays', 'From Monday to Friday', (hour: number, minute: number) => `${minute} ${hour} * * 1-5`],
  ['week', 'Every Monday', (hour: number, minute: number) => `${minute} ${hour} * * 1`],
  ['hour', 'Every hour', (_: number, minute: number) => `${minute} * * * *`],
] as const;
type Repeat = (typeof REPEATS)[number][0] | 'cron' | 'hook';

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export interface ScheduleFormProps {
  readonly sitemap: SitemapId;
  readonly schedule: Schedule | null;
  readonly onClose: () => void;
}

export function ScheduleForm({ sitemap, schedule, onClose }: ScheduleFormProps) {
  const { make, change } = useScheduleWork(sitemap);
  const [address, setAddress] = useState(schedule?.load.sources.join('\n') ?? '');
  const [repeat, setRepeat] = useState(firstRepeat(schedule));
  const [clock, setClock] = useState('06:00');
  const [fields, setFields] = useState(schedule?.cron ?? '0 6 * * *');
  const [timezone, setTimezone] = useState(schedule?.timezone ?? ownZone());
  const [hour = 0, minute = 0] = clock.split(':').map(Number);
  const ofClock = REPEATS.find(([name]) => name === repeat)?.[2](hour, minute);
  const cron = repeat === 'hook' ? null : (ofClock ?? fields);
  const preview = usePreview(cron, timezone);
  const { isBusy, error, run } = useWork(async () => {
    const sources = address.split(/\s+/).filter(Boolean);
    const save = schedule === null ? make : change;
    await save({ cron, timezone, load: { ...schedule?.load, sources } });
    announce('The schedule is saved.');
    onClose();
  });
  return (
    <Dialog title={`Load “${sitemap.name}” automatically`} onClose={onClose}>
      <DialogForm verb="Save schedule" submit={run} isBusy={isBusy} onClose={onClose}>
        <Field
          label="Address"
          hint="Of a list, a sitemap, an index of sitemaps or a robots.txt. Several stand on lines of their own."
        >
          {(tied) => (
            <textarea
              {...tied}
              required
              rows={2}
              spellcheck={false}
              autocapitalize="none"
              value={address}
              onInput={(event) => setAddress(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="How often">
          {(tied) => (
            <select
              {...tied}
              value={repeat}
              onChange={(event) => setRepeat(event.currentTarget.value as Repeat)}
            >
              {REPEATS.map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
              <option value="cron">By cron</option>
              <option value="hook">Only by its hook</option>
            </select>
          )}
        </Field>
        {repeat === 'cron' && (
          <TextField
            label="Cron"
            hint="Minute, hour, day of the month, month, day of the week."
            value={fields}
            set={setFields}
          />
        )}
        {ofClock !== undefined && (
          <TextField
            label="At"
            hint={repeat === 'hour' ? 'Only the minutes count.' : undefined}
            type="time"
            value={clock}
            set={setClock}
          />
        )}
        {repeat !== 'hook' && <TextField label="Time zone" value={timezone} set={setTimezone} />}
        {preview.data && <NextRuns words={preview.data.words} times={preview.data.nextRuns} />}
        <Fault>{error ?? (preview.error ? messageOf(preview.error) : undefined)}</Fault>
      </DialogForm>
    </Dialog>
  );
}

function firstRepeat(schedule: Schedule | null): Repeat {
  if (schedule === null) return 'day';
  return schedule.cron === null ? 'hook' : 'cron';
}

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'time';
  readonly value: string;
  readonly set: (value: string) => void;
}

function TextField({ label, hint, type = 'text', value, set }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(tied) => (
        <input
          {...tied}
          type={type}
          required
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
