/** Options that few uploads need. They open if one of them must be corrected, or if the guard is off. */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from '../../../parts/field.tsx';
import { Options } from '../../../parts/options.tsx';
import { type SettingFaults, type Settings, SIZE_LIMITS } from '../settings.ts';

export interface MoreOptionsProps {
  readonly settings: Settings;
  readonly change: (part: Partial<Settings>) => void;
  readonly faults: SettingFaults;
}

const HERE = ['maxRejectedPercent', 'force', 'expectedUrlCount', 'sizeLimit'] as const;

export function MoreOptions({ settings, change, faults }: MoreOptionsProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const mustBeSeen = settings.force || HERE.some((name) => faults[name] !== undefined);
  // They never close by themselves: a person may be typing here.
  useLayoutEffect(() => {
    if (mustBeSeen) details.current!.open = true;
  }, [mustBeSeen]);
  return (
    <details ref={details}>
      <summary>More options</summary>
      <div class="options">
        {settings.skipsInvalid && (
          <NumberField
            label="Leave out at most, in percent"
            hint="With more mistakes, nothing is published."
            value={settings.maxRejectedPercent}
            set={(maxRejectedPercent) => change({ maxRejectedPercent })}
            fault={faults.maxRejectedPercent}
          />
        )}
        <SizeField settings={settings} change={change} faults={faults} />
        <NumberField
          label="Expected number of URLs"
          hint="Publishes nothing if the number differs. Leave it empty to skip this check."
          value={settings.expectedUrlCount}
          set={(expectedUrlCount) => change({ expectedUrlCount })}
          fault={faults.expectedUrlCount}
        />
        <Check
          label="Publish even if it removes many URLs"
          hint="Otherwise the guard of the domain holds such an upload."
          isOn={settings.force}
          set={(force) => change({ force })}
          fault={faults.force}
        />
      </div>
    </details>
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

/** The field for the most URLs of a sitemap file. */
function SizeField({ settings, change, faults }: MoreOptionsProps) {
  return (
    <Field
      label="File size"
      hint="Smaller files make finer reports in Search Console."
      error={faults.sizeLimit}
    >
      {(tied) => (
        <select
          {...tied}
          value={settings.sizeLimit}
          onChange={(event) => change({ sizeLimit: event.currentTarget.value as Settings['sizeLimit'] })}
        >
          <Options of={SIZE_LIMITS} />
        </select>
      )}
    </Field>
  );
}
