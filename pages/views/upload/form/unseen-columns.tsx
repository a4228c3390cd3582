/** The choice of columns for a Parquet file that is too long for the page to read: its columns stand at its end. */
import { Card } from '../../../parts/card.tsx';
import { Field } from '../../../parts/field.tsx';
import { VERBATIM } from '../../../parts/verbatim.ts';
import { columnsOfNames, namesIn } from '../unseen-names.ts';
import type { ReadingOfFile } from './use-reading.ts';

export function UnseenColumns({ reading: { choices, choose } }: { readonly reading: ReadingOfFile }) {
  const names = namesIn(choices.columns);
  const input = (label: string, hint: string, value: string, set: (text: string) => void) => (
    <Field label={label} hint={hint}>
      {(tied) => (
        <input
          {...tied}
          type="text"
          {...VERBATIM}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
  return (
    <Card
      title="Columns"
      lead="They stand at the end of a Parquet file, so this page can't show them. “Check all rows first” sends the file, and publishes nothing."
    >
      {input(
        'URL column',
        'Empty: the columns have the names of the API, as in loc and lastmod.',
        names.loc,
        (loc) => choose({ columns: columnsOfNames({ ...names, loc }) }),
      )}
      {input('Date column', 'With a URL column. Empty: no dates.', names.lastmod, (lastmod) =>
        choose({ columns: columnsOfNames({ ...names, lastmod }) }),
      )}
      {input(
        'Time zone',
        'Of times that say none, as in Europe/Berlin. Empty: each time must have a zone.',
        choices.timezone ?? '',
        (timezone) => choose({ timezone }),
      )}
    </Card>
  );
}
