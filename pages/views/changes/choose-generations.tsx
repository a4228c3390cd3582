/** The choice of two generations to compare. */
import { useLocation } from 'preact-iso';
import type { Generation } from '../../../client/src/answers.ts';
import { Field } from '../../parts/field.tsx';
import { counted, dayAndTime } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { kindOf } from '../sitemap/generation-kind.ts';
import { changesPage, type Pair, type SitemapId } from '../sitemap/sitemap-queries.ts';

export interface ChooseGenerationsProps {
  readonly sitemap: SitemapId;
  readonly rows: readonly Generation[];
  readonly pair: Pair;
}

export function ChooseGenerations({ sitemap, rows, pair }: ChooseGenerationsProps) {
  const { route } = useLocation();
  const choose = (part: Partial<Pair>) => route(changesPage(sitemap, { ...pair, ...part }), true);
  return (
    <div class="compare">
      <Choice label="From" chosen={pair.from} rows={rows} choose={(from) => choose({ from })} />
      <Icon name="arrow" />
      <Choice label="To" chosen={pair.to} rows={rows} choose={(to) => choose({ to })} />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: number;
  readonly rows: readonly Generation[];
  readonly choose: (generation: number) => void;
}

function Choice({ label, chosen, rows, choose }: ChoiceProps) {
  const kept = rows.filter(({ live, canRollBack }) => live || canRollBack);
  const isKept = kept.some(({ generation }) => generation === chosen);
  return (
    <Field label={label}>
      {(tied) => (
        <select
          {...tied}
          value={String(chosen)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        >
          {!isKept && <option value={String(chosen)}>Version {chosen} · no longer kept</option>}
          {kept.map((one) => (
            <option key={one.generation} value={String(one.generation)}>
              {nameOf(one)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function nameOf(one: Generation): string {
  const { generation, kind, publishedAt, publishedBy, urlCount, live } = one;
  const name = `Version ${generation}${kind === 'upload' ? '' : `, ${kindOf(one).toLowerCase()}`}`;
  const facts = [name, dayAndTime(publishedAt), publishedBy, counted(urlCount, 'URL')];
  return `${facts.filter(Boolean).join(' · ')}${live ? ' (live)' : ''}`;
}
