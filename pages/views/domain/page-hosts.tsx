/** The page hosts of a domain. Hosts that need something come first. */
import type { PageHost as PageHostRow } from '../../../client/src/answers.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { counted } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

const STATES: Readonly<Record<PageHostRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  unchecked: { tone: 'neutral', word: 'Not checked yet' },
  found: { tone: 'good', word: 'Valid' },
  partly: { tone: 'bad', word: 'Line missing for some sitemaps' },
  missing: { tone: 'bad', word: 'Line missing' },
  disallowed: { tone: 'bad', word: 'Blocks crawlers' },
  unreachable: { tone: 'bad', word: "Can't be read" },
};

/** If there are more hosts without a fault than this, they are folded. */
const SHOWN_FINE = 3;

export function PageHosts({ hosts }: { readonly hosts: readonly PageHostRow[] }) {
  const fine = hosts.filter(({ state }) => state === 'found');
  const others = hosts.filter(({ state }) => state !== 'found');
  if (fine.length <= SHOWN_FINE) return <Rows hosts={[...others, ...fine]} />;
  return (
    <>
      <Rows hosts={others} />
      <details>
        <summary>{counted(fine.length, 'host')} with nothing to do</summary>
        <Rows hosts={fine} />
      </details>
    </>
  );
}

function Rows({ hosts }: { readonly hosts: readonly PageHostRow[] }) {
  if (hosts.length === 0) return null;
  return (
    <ul class="rows">
      {hosts.map((host) => (
        <Host key={host.origin} host={host} />
      ))}
    </ul>
  );
}

function Host({ host }: { readonly host: PageHostRow }) {
  const { origin, urlCount, state, message, line, checkedAt, nextCheckAt } = host;
  const { tone, word } = STATES[state];
  const needsLine = line !== null && (state === 'missing' || state === 'partly');
  return (
    <li>
      <div class="card-head">
        <h3>{origin}</h3>
        <Chip tone={tone}>{word}</Chip>
      </div>
      {message && state !== 'found' && <p>{message}</p>}
      {needsLine && <Copyable text={line} label={`the line for ${host.robotsUrl}`} />}
      <p class="quiet line">
        <span>{counted(urlCount, 'URL')}</span>
        <span>
          Checked: <Time at={checkedAt} absent="not yet" />
        </span>
        <span>
          Next check: <Time at={nextCheckAt} />
        </span>
      </p>
    </li>
  );
}
