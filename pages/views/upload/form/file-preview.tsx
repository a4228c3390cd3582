/** What the beginning of the file shows, before anything is sent. */
import { Field } from '../../../parts/field.tsx';
import { counted } from '../../../parts/format.ts';
import { Loading } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { FORM_NAMES, type UploadForm } from '../file-form.ts';
import type { Preview } from '../preview/preview.ts';
import type { ChosenFile } from './chosen-file.ts';

export interface FilePreviewProps {
  readonly chosen: ChosenFile;
  readonly fault: string | undefined;
}

export function FilePreview({ chosen, fault }: FilePreviewProps) {
  const { file, preview, isReading, encoding, encodingProblem } = chosen;
  if (file === undefined) return null;
  if (isReading) return <Loading what="Reading the beginning …" />;
  const problems = [...(encodingProblem ? [encodingProblem] : []), ...(preview?.problems ?? [])];
  return (
    <>
      <FormField chosen={chosen} fault={fault} />
      {problems.length > 0 && (
        <div class="notice notice-bad" role="alert">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      {preview === undefined && encodingProblem === undefined && (
        <p class="quiet">This browser cannot look into a file compressed with {encoding}. Waypost can.</p>
      )}
      {preview && preview.rows.length > 0 && <FirstRows preview={preview} />}
    </>
  );
}

function FormField({ chosen, fault }: FilePreviewProps) {
  const { form, preview, encoding, chooseForm } = chosen;
  const hint = [preview?.note, encoding && `Compressed with ${encoding}. It is sent as it is.`];
  return (
    <Field label="What it is" hint={hint.filter(Boolean).join(' ')} error={fault}>
      {(tied) => (
        <select
          {...tied}
          value={form ?? ''}
          onChange={(event) => chooseForm(event.currentTarget.value as UploadForm)}
        >
          {form === undefined && <option value="">Choose …</option>}
          {Object.entries(FORM_NAMES).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const MAX_COLUMNS = 8;

function FirstRows({ preview: { columns, rows } }: { readonly preview: Preview }) {
  const more = columns.length - MAX_COLUMNS;
  return (
    <div class="preview">
      <p class="quiet">
        {rows.length === 1 ? 'The first entry' : `The first ${rows.length} entries`}
        {more > 0 && `, without ${counted(more, 'more column')}`}
      </p>
      <Table label="First entries" head={columns.slice(0, MAX_COLUMNS).map(unlike)}>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.slice(0, MAX_COLUMNS).map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}

/** Columns of a wrong file may have the same name, or none. */
function unlike(name: string, i: number, names: readonly string[]): string {
  if (name === '') return `Column ${i + 1}`;
  return names.indexOf(name) < i ? `${name} (${i + 1})` : name;
}
