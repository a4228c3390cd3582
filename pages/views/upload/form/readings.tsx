/** The choices for reading the rows, as the service suggests them. People can change each one. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../../../parts/field.tsx';
import { Options } from '../../../parts/options.tsx';
import { baseUrlOf } from '../base-url.ts';
import type { UploadForm } from '../file-form.ts';
import { type Beginning, type Choices, conditionsIn, delimiterOf } from '../reading.ts';
import { CHARSETS, DATES, placeOf, sayOrder } from '../say-parameters.ts';
import { browserZone, type ReadingOfFile } from './use-reading.ts';

export interface ReadingsProps {
  readonly beginning: Beginning;
  readonly reading: Pick<ReadingOfFile, 'choose'>;
  readonly form: UploadForm;
}

const SEPARATORS: Readonly<Record<string, string>> = {
  comma: 'Comma ,',
  semicolon: 'Semicolon ;',
  tab: 'Tab',
  pipe: 'Bar |',
  'ctrl-a': 'Ctrl-A',
};

export function Readings({ beginning, reading: { choose }, form }: ReadingsProps) {
  const { preview, table, members, parameters, questions } = beginning;
  const hasDates = members.includes('lastmod') || (table === undefined && form !== 'text');
  const hasZones = parameters.timezone !== undefined;
  return (
    <div class="readings">
      {form === 'csv' && table?.delimiter && (
        <Choice
          label="Separator"
          value={delimiterOf(beginning) ?? ''}
          options={SEPARATORS}
          set={(delimiter) => choose({ delimiter, members: undefined })}
        />
      )}
      {form !== 'xml' && form !== 'json' && (
        <Choice
          label="Encoding"
          value={parameters.charset ?? preview.dialect?.charset ?? 'utf-8'}
          options={CHARSETS}
          set={(charset) => choose({ charset })}
        />
      )}
      {hasDates && (
        <Choice
          label="Dates"
          value={questions.includes('dates') ? '' : (parameters.dates ?? 'iso')}
          options={DATES}
          set={(dates) => choose({ dates })}
          fault={questions.includes('dates') ? questionOfOrder(preview) : undefined}
        />
      )}
      {hasDates && (hasZones || form === 'csv') && (
        <Choice
          label="Time zone"
          value={parameters.timezone ?? ''}
          options={zonesFor(parameters.timezone)}
          set={(timezone) => choose({ timezone })}
        />
      )}
      <Website {...{ beginning, choose }} />
      <Conditions {...{ beginning, choose }} />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly set: (value: string) => void;
  readonly fault?: string | undefined;
}

function Choice({ label, value, options, set, fault }: ChoiceProps) {
  return (
    <Field label={label} error={fault}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => set(event.currentTarget.value)}>
          {!(value in options) && <option value={value}>{value || 'Choose …'}</option>}
          <Options of={options} />
        </select>
      )}
    </Field>
  );
}

function questionOfOrder({ rows }: Beginning['preview']): string {
  const found = rows
    .flatMap(({ violations }) => violations)
    .find(({ message }) => /add dates=dmy/.test(message));
  return `Which comes first, the day or the month? ${sayOrder(String(found?.value ?? ''))}`;
}

/** Returns all zones of the browser, the likely ones first, and a choice without a zone. */
function zonesFor(value: string | undefined): Readonly<Record<string, string>> {
  const likely = [browserZone(), 'UTC', value ?? ''].filter(Boolean);
  const names = [...new Set([...likely, ...Intl.supportedValuesOf('timeZone')])];
  return {
    '': 'In the dates',
    ...Object.fromEntries(names.map((name) => [name, placeOf(name)])),
  };
}

interface PartProps {
  readonly beginning: Beginning;
  readonly choose: (part: Choices) => void;
}

/** The choice of the website, for a file with paths in place of URLs. */
function Website({ beginning: { parameters, questions, choices }, choose }: PartProps): ComponentChildren {
  const isAsked = questions.includes('baseUrl');
  // The form renders again while a person types, as when all rows are counted. The text must stay.
  const [typed, setTyped] = useState<string>();
  if (!isAsked && parameters.baseUrl === undefined) return null;
  return (
    <div class="readings-wide">
      <Field
        label="Website"
        hint="We put it before each path, as in https://www.example.com/products/"
        error={isAsked ? 'The file has paths. Which website are they on?' : undefined}
      >
        {(tied) => (
          <input
            {...tied}
            type="url"
            placeholder="https://"
            value={typed ?? choices.baseUrl ?? ''}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onChange={(event) => {
              const baseUrl = baseUrlOf(event.currentTarget.value);
              setTyped(baseUrl ?? '');
              choose({ baseUrl });
            }}
          />
        )}
      </Field>
    </div>
  );
}

/** The choice of the rows of a crawl that belong into a sitemap. */
function Conditions({ beginning: { preview, choices }, choose }: PartProps): ComponentChildren {
  const chosen = choices.where ?? [];
  // Sort the conditions, so that their order stays when a person chooses one.
  return [...chosen, ...conditionsIn(preview)].toSorted().map((condition) => {
    const [name, value = ''] = condition.split(/:(.*)/s);
    const others = chosen.filter((each) => each !== condition);
    return (
      <label key={condition} class="check readings-wide">
        <input
          type="checkbox"
          checked={chosen.includes(condition)}
          onChange={(event) =>
            choose({ where: event.currentTarget.checked ? [...others, condition] : others })
          }
        />
        <span>
          Only rows with {name} {value.replace(/\*$/, '')}
        </span>
      </label>
    );
  });
}
