/** What was published before, and the way back to it. */
import { useState } from 'preact/hooks';
import type { Generation } from '../../../client/src/answers.ts';
import { useRenewDomain } from '../../api/domain.ts';
import { ask } from '../../api/request.ts';
import { announce } from '../../parts/announce.tsx';
import { Card } from '../../parts/card.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { bytes, count, counted, dayAndTime } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { kindOf } from './generation-kind.ts';
import { type SitemapId, sitemapPath, type useGenerations } from './sitemap-queries.ts';

const HEAD = [
  'Generation',
  { name: 'URLs', isNumber: true },
  { name: 'Files', isNumber: true },
  { name: 'Compressed', isNumber: true },
  'Published',
  'Roll back',
] as const;

export interface GenerationTableProps {
  readonly sitemap: SitemapId;
  readonly generations: ReturnType<typeof useGenerations>;
}

export function GenerationTable({ sitemap, generations: { list, rows, live } }: GenerationTableProps) {
  const [chosen, setChosen] = useState<Generation>();
  return (
    <Card title="Generations">
      <p>
        Each upload makes a new generation, and so do deltas, which change a few URLs. You can go back to
        those that are kept, in a moment and for any size.
      </p>
      <Table label="Generations" head={HEAD}>
        {rows.map((row) => (
          <Row key={row.generation} generation={row} choose={() => setChosen(row)} />
        ))}
      </Table>
      <ShowMore list={list} what="generations" />
      {chosen && live && (
        <RollBack sitemap={sitemap} chosen={chosen} live={live} onClose={() => setChosen(undefined)} />
      )}
    </Card>
  );
}

function Row({ generation, choose }: { readonly generation: Generation; readonly choose: () => void }) {
  const { live, canRollBack } = generation;
  return (
    <tr>
      <th scope="row">
        {count(generation.generation)}
        <span class="below">{kindOf(generation)}</span>
      </th>
      <td class="number">{count(generation.urlCount)}</td>
      <td class="number">{count(generation.filesGenerated)}</td>
      <td class="number">{bytes(generation.gzipBytes)}</td>
      <td>
        <Time at={generation.publishedAt} />
      </td>
      <td>
        {live ? (
          <Chip tone="good">Live</Chip>
        ) : canRollBack ? (
          <button
            type="button"
            class="small"
            aria-label={`Roll back to generation ${generation.generation}`}
            onClick={choose}
          >
            Roll back
          </button>
        ) : (
          <span class="quiet nowrap">no longer kept</span>
        )}
      </td>
    </tr>
  );
}

interface RollBackProps {
  readonly sitemap: SitemapId;
  readonly chosen: Generation;
  readonly live: Generation;
  readonly onClose: () => void;
}

function RollBack({ sitemap, chosen, live, onClose }: RollBackProps) {
  const renew = useRenewDomain(sitemap.domainId);
  const { generation } = chosen;
  const rollBack = async () => {
    // If somebody has published meanwhile, the question was about another generation.
    const terms = { generation, ifGeneration: live.generation };
    await ask('POST', sitemapPath(sitemap, 'rollback'), terms).finally(renew);
    announce(`Generation ${generation} is live again.`);
  };
  return (
    <Confirm
      title={`Roll back to generation ${generation}?`}
      verb="Roll back"
      work={rollBack}
      onClose={onClose}
    >
      <p>
        It has {counted(chosen.urlCount, 'URL')} in {counted(chosen.filesGenerated, 'file')}, and was
        published on {dayAndTime(chosen.publishedAt)}.
      </p>
      <p>
        Live now is generation {live.generation} with {counted(live.urlCount, 'URL')}. It is kept, so you can
        go forward again.
      </p>
    </Confirm>
  );
}
