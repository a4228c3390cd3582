/** What few uploads need. It opens by itself where something in it has to be put right. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Field } from '../../../parts/field.tsx';
import type { SettingFaults, Settings } from '../settings.ts';

export interface MoreOptionsProps {
  readonly settings: Settings;
  readonly change: (part: Partial<Settings>) => void;
  readonly faults: SettingFaults;
}

const HERE = [
  'isDryRun',
  'skipsInvalid',
  'maxRejected',
  'maxRejectedPercent',
  'force',
  'expectedUrlCount',
] as const;

export function MoreOptions({ settings, change, faults }: MoreOptionsProps) {
  const isFaulty = HERE.some((name) => faults[name] !== undefined);
  return (
    <details {...(isFaulty && { open: true })}>
      <summary>More options</summary>
      <div class="options">
        <Check
          label="Only check the file"
          hint="Waypost reads it all, counts every mistake, and publishes nothing."
          isOn={settings.isDryRun}
          set={(isDryRun) => change({ isDryRun })}
          fault={faults.isDryRun}
        />
        <Check
          label="Leave invalid entries out"
          hint="Otherwise a single one refuses the upload."
          isOn={settings.skipsInvalid}
          set={(skipsInvalid) => change({ skipsInvalid })}
          fault={faults.skipsInvalid}
        />
        {settings.skipsInvalid && <Tolerance {...{ settings, change, faults }} />}
        <Check
          label="Publish even if many URLs go"
          hint="Otherwise the guard of the domain holds an upload that removes too many."
          isOn={settings.force}
          set={(force) => change({ force })}
          fault={faults.force}
        />
        <div class="columns">
          <NumberField
            label="Expected number of URLs"
            hint="Another number is refused. Empty: any number."
            value={settings.expectedUrlCount}
            set={(expectedUrlCount) => change({ expectedUrlCount })}
            fault={faults.expectedUrlCount}
          />
        </div>
      </div>
    </details>
  );
}

function Tolerance({ settings, change, faults }: MoreOptionsProps) {
  return (
    <fieldset class="columns">
      <legend class="unseen">How many may be left out</legend>
      <NumberField
        label="At most, entries"
        hint="Empty: any number."
        value={settings.maxRejected}
        set={(maxRejected) => change({ maxRejected })}
        fault={faults.maxRejected}
      />
      <NumberField
        label="At most, percent of all entries"
        hint="Empty: any share. If all are invalid, it is refused anyway."
        value={settings.maxRejectedPercent}
        set={(maxRejectedPercent) => change({ maxRejectedPercent })}
        fault={faults.maxRejectedPercent}
      />
    </fieldset>
  );
}

interface CheckProps {
  readonly label: string;
  readonly hint: ComponentChildren;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
  readonly fault: string | undefined;
}

function Check({ label, hint, isOn, set, fault }: CheckProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={`${id}-hint`}
        aria-invalid={fault ? true : undefined}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
        {fault && (
          <span class="error" role="alert">
            {' '}
            {fault}
          </span>
        )}
      </p>
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly set: (text: string) => void;
  readonly fault: string | undefined;
}

function NumberField({ label, hint, value, set, fault }: NumberFieldProps) {
  return (
    <Field label={label} hint={hint} error={fault}>
      {(tied) => (
        <input
          {...tied}
          inputMode="decimal"
          autocomplete="off"
          value={value}
          onInput={(event) => set(event.currentTarget.value.trim())}
        />
      )}
    </Field>
  );
}
