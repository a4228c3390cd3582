/** The button that rolls the sitemap back to the generation `from`. It is shown if `from` is kept and `to` is live. */
import { useState } from 'preact/hooks';
import type { Generation } from '../../../client/src/answers.ts';
import { RollBack } from '../sitemap/roll-back.tsx';
import type { Pair, SitemapId } from '../sitemap/sitemap-queries.ts';

export interface GoBackProps {
  readonly sitemap: SitemapId;
  readonly rows: readonly Generation[];
  readonly pair: Pair;
}

export function GoBack({ sitemap, rows, pair }: GoBackProps) {
  const [isOpen, setOpen] = useState(false);
  const chosen = rows.find(({ generation, canRollBack }) => canRollBack && generation === pair.from);
  const live = rows.find((one) => one.live);
  if (chosen === undefined || live?.generation !== pair.to) return null;
  return (
    <p class="quiet">
      <span>Is it wrong?</span>
      <button type="button" class="plain" onClick={() => setOpen(true)}>
        Go back to version {chosen.generation}
      </button>
      <span>– it takes a moment, whatever the size.</span>
      {isOpen && <RollBack sitemap={sitemap} chosen={chosen} live={live} onClose={() => setOpen(false)} />}
    </p>
  );
}
