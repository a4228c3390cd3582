/** The columns of the file, a row each, with the choice of their use. */

import { useState } from 'preact/hooks';
import { Card } from '../../../parts/card.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { counted } from '../../../parts/format.ts';
import { Options } from '../../../parts/options.tsx';
import { Table } from '../../../parts/table.tsx';
import { type Beginning, unusedDates, withMember } from '../reading.ts';
import type { ReadingOfFile } from './use-reading.ts';

export interface ColumnsCardProps {
  readonly beginning: Beginning;
  readonly reading: Pick<ReadingOfFile, 'choose'>;
}

const USES: Readonly<Record<string, string>> = {
  loc: 'URL',
  lastmod: 'Last modified',
  image_loc: 'Image URL',
  changefreq: 'Change frequency',
  priority: 'Priority',
  '': 'Ignore',
};
/** Ignored columns are shown until the table has this many rows. */
const SHOWN = 5;

export function ColumnsCard({
  beginning: { table, members, questions },
  reading: { choose },
}: ColumnsCardProps) {
  const [isWhole, setWhole] = useState(false);
  const columns = table!.columns.map((column, i) => ({ ...column, at: i, use: members[i]! }));
  // While the question for the URL column is open, show each column that may be the answer.
  const isAsked = questions.includes('loc');
  const used = columns.filter(({ use, member }) => use !== '' || (isAsked && member === 'loc'));
  const shown = isWhole
    ? columns
    : [...used, ...columns.filter((each) => !used.includes(each)).slice(0, Math.max(0, SHOWN - used.length))];
  const more = columns.length - shown.length;
  const dates = columns[unusedDates(table!, members) ?? -1];
  return (
    <Card
      title="Columns"
      lead="Only the URL is needed. Ignored columns are not read."
      foot={
        more > 0 && (
          <>
            <span>{counted(more, 'more column')}, all ignored</span>
            <button type="button" class="plain" onClick={() => setWhole(true)}>
              Show them
            </button>
          </>
        )
      }
    >
      {isAsked && <Fault>Choose the URL column</Fault>}
      {dates && (
        <p class="spread">
          <span>“{nameOf(dates.name, dates.at)}” has dates. Do they say when each page changed?</span>
          <button
            type="button"
            class="small"
            onClick={() => choose({ members: withMember(members, dates.at, 'lastmod') })}
          >
            Use as last modified
          </button>
        </p>
      )}
      <div class="mapping">
        <Table label="Columns of the file" head={['Column', 'First values', 'Use as']}>
          {shown.map(({ name, values, at, use }) => (
            <tr key={at} class={use === '' ? 'ignored' : undefined}>
              <th scope="row" class="cut">
                {use === '' ? nameOf(name, at) : <strong>{nameOf(name, at)}</strong>}
              </th>
              <td class="cut">
                <span class="sample">{values.join(' · ')}</span>
              </td>
              <td class="use">
                <select
                  aria-label={`Use ${nameOf(name, at)} as`}
                  aria-invalid={isAsked && use === '' ? true : undefined}
                  value={use}
                  onChange={(event) =>
                    choose({ members: withMember(members, at, event.currentTarget.value) })
                  }
                >
                  <Options of={use in USES ? USES : { ...USES, [use]: use }} />
                </select>
              </td>
            </tr>
          ))}
        </Table>
      </div>
    </Card>
  );
}

/** A column without a name is called by its position. */
const nameOf = (name: string, at: number) =>
  name === '' || name === `${at + 1}` ? `Column ${at + 1}` : name;
