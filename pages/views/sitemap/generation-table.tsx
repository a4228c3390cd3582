/** The generations of a sitemap. A former one that is still kept has a button to roll back to it. */
import { useState } from 'preact/hooks';
import type { Generation } from '../../../client/src/answers.ts';
import { Card } from '../../parts/card.tsx';
import { State } from '../../parts/chip.tsx';
import { bytes, count } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { kindOf } from './generation-kind.ts';
import { RollBack } from './roll-back.tsx';
import { changesPage, type SitemapId, type useGenerations } from './sitemap-queries.ts';

const HEAD = [
  'Version',
  { name: 'URLs', isNumber: true },
  { name: 'Files', isNumber: true },
  { name: 'Size', isNumber: true },
  'Published',
  'By',
  { name: 'Compare, roll back', isUnseen: true },
] as const;

/** The files stand below the table, so only this number of generations is shown at first. */
const FIRST = 5;

export interface GenerationTableProps {
  readonly sitemap: SitemapId;
  readonly generations: ReturnType<typeof useGenerations>;
}

export function GenerationTable({ sitemap, generations: { list, rows, live } }: GenerationTableProps) {
  const [chosen, setChosen] = useState<Generation>();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, FIRST);
  return (
    <Card title="Versions">
      <p>
        Each upload or partial update makes a new version. You can go back to any that is kept. It takes a
        moment, whatever the size.
      </p>
      <Table label="Versions" head={HEAD} asCards>
        {shown.map((row) => (
          <Row key={row.generation} sitemap={sitemap} generation={row} choose={() => setChosen(row)} />
        ))}
      </Table>
      {shown.length < rows.length ? (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show older versions
          </button>
        </p>
      ) : (
        <ShowMore list={list} what="versions" />
      )}
      {chosen && live && (
        <RollBack sitemap={sitemap} chosen={chosen} live={live} onClose={() => setChosen(undefined)} />
      )}
    </Card>
  );
}

interface RowProps {
  readonly sitemap: SitemapId;
  readonly generation: Generation;
  readonly choose: () => void;
}

function Row({ sitemap, generation, choose }: RowProps) {
  const { live, canRollBack } = generation;
  return (
    <tr>
      <th scope="row">
        {count(generation.generation)}
        <span class="below">{kindOf(generation)}</span>
      </th>
      <td class="number" data-label="URLs">
        {count(generation.urlCount)}
      </td>
      <td class="number" data-label="Files">
        {count(generation.filesGenerated)}
      </td>
      <td class="number" data-label="Size">
        {bytes(generation.gzipBytes)}
      </td>
      <td data-label="Published">
        <Time at={generation.publishedAt} />
      </td>
      <td data-label="By">
        <span>{generation.publishedBy ?? '–'}</span>
      </td>
      <td class="row-actions">
        {live || canRollBack ? (
          <span class="buttons">
            {live && <State tone="good">Live</State>}
            <a
              class="button small"
              href={changesPage(sitemap, { to: generation.generation })}
              aria-label={`Changes in version ${generation.generation}`}
            >
              Changes
            </a>
            {canRollBack && (
              <button
                type="button"
                class="small"
                aria-label={`Roll back to version ${generation.generation}`}
                onClick={choose}
              >
                Roll back
              </button>
            )}
          </span>
        ) : (
          <span class="quiet nowrap">no longer kept</span>
        )}
      </td>
    </tr>
  );
}
