/** The chosen file: its name, its length, its kind, and the choices for reading it. */

import { useEffect, useId, useRef } from 'preact/hooks';
import { Fault } from '../../../parts/fault.tsx';
import { bytes, counted } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Options } from '../../../parts/options.tsx';
import { LoadFailure } from '../../../parts/states.tsx';
import { FORM_NAMES, toolOf, type UploadForm } from '../file-form.ts';
import { type ChosenFile, takeFiles } from './chosen-file.ts';
import { Readings } from './readings.tsx';
import type { ReadingOfFile } from './use-reading.ts';

export interface FileCardProps {
  readonly chosen: ChosenFile;
  readonly reading: ReadingOfFile;
  readonly rows: number | undefined;
  readonly fault: string | undefined;
}

export function FileCard({ chosen, reading, rows, fault }: FileCardProps) {
  const { file, problem, head, encoding, form } = chosen;
  const { beginning, isReading } = reading;
  const id = useId();
  const tool = beginning?.table && toolOf(beginning.table.columns.map(({ name }) => name));
  const facts = [
    bytes(file!.size),
    encoding && `compressed with ${encoding}`,
    rows !== undefined && counted(rows, 'row'),
    tool && `looks like ${tool}`,
  ];
  return (
    <section class="card" aria-labelledby={id} data-keeps-input>
      <div class="file">
        <span class="file-icon">
          <Icon name="file" />
        </span>
        <div>
          <h2 id={id}>{file!.name}</h2>
          <p>{facts.filter(Boolean).join(' · ')}</p>
        </div>
        <div class="buttons">
          {problem === undefined && <FileType chosen={chosen} fault={fault} />}
          <Replace chosen={chosen} />
        </div>
      </div>
      <Fault>{problem ?? fault}</Fault>
      {beginning && <Readings beginning={beginning} reading={reading} form={form!} />}
      {reading.error !== undefined && reading.error !== null && (
        <LoadFailure error={reading.error} again={reading.again} />
      )}
      {head !== undefined && (
        <p class="hint" role="status">
          {isReading
            ? 'Reading the first rows …'
            : beginning && "Detected from the first rows. Change anything that's wrong."}
        </p>
      )}
      {head === undefined && problem === undefined && !chosen.isReading && form !== 'parquet' && (
        <p class="hint">This browser can't look into a file compressed with {encoding}. Waypost can.</p>
      )}
    </section>
  );
}

function Replace({ chosen }: Pick<FileCardProps, 'chosen'>) {
  const input = useRef<HTMLInputElement>(null);
  // The field that had the focus is gone now.
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  return (
    <label class="button">
      Replace
      <input
        ref={input}
        class="unseen"
        type="file"
        onChange={({ currentTarget }) => {
          const files = takeFiles(currentTarget);
          if (files.length > 0) chosen.choose(files, false);
        }}
      />
    </label>
  );
}

/** The choice of the form. People need it only where the page has guessed wrong. */
function FileType({ chosen: { form, chooseForm }, fault }: Pick<FileCardProps, 'chosen' | 'fault'>) {
  return (
    <select
      aria-label="File type"
      aria-invalid={fault ? true : undefined}
      value={form ?? ''}
      onChange={(event) => chooseForm(event.currentTarget.value as UploadForm)}
    >
      {form === undefined && <option value="">Choose …</option>}
      <Options of={FORM_NAMES} />
    </select>
  );
}
