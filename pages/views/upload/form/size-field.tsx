/** The field for the most URLs of a sitemap file. */
import { Field } from '../../../parts/field.tsx';
import { type Settings, SIZE_LIMITS } from '../settings.ts';

export interface SizeFieldProps {
  readonly settings: Settings;
  readonly change: (part: Partial<Settings>) => void;
  readonly fault: string | undefined;
}

export function SizeField({ settings, change, fault }: SizeFieldProps) {
  return (
    <Field label="File size" hint="Smaller files make finer reports in Search Console." error={fault}>
      {(tied) => (
        <select
          {...tied}
          value={settings.sizeLimit}
          onChange={(event) => change({ sizeLimit: event.currentTarget.value as Settings['sizeLimit'] })}
        >
          {Object.entries(SIZE_LIMITS).map(([limit, meaning]) => (
            <option key={limit} value={limit}>
              {meaning}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
