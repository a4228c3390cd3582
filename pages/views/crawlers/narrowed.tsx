/** Limits the visits to one kind of crawler, and shows if they are limited to one file. Both choices are in the address of the page. */
import { useLocation } from 'preact-iso';
import type { FileVisit } from '../../../client/src/answers.ts';
import { domainPage } from '../../api/domain.ts';

const CRAWLERS: readonly FileVisit['crawler'][] = [
  'Googlebot',
  'Google, others',
  'Bingbot',
  'Yandex',
  'Baidu',
  'DuckDuckGo',
  'Applebot',
  'Seznam',
  'Naver',
  'OpenAI',
  'Anthropic',
  'Perplexity',
  'Meta',
  'Amazon',
  'Ahrefs',
  'Semrush',
  'Other bots',
  'Tools',
  'Browsers',
  'No User-Agent',
];

export interface NarrowedProps {
  readonly domainId: string;
  readonly crawler: string | undefined;
  readonly file: string | undefined;
}

export function Narrowed({ domainId, crawler = '', file }: NarrowedProps) {
  const { query, route } = useLocation();
  const { crawler: _, file: __, ...others } = query;
  const page = domainPage(domainId, 'crawlers');
  return (
    <span class="line">
      {file && (
        <span>
          Only {file} · <a href={page}>all files</a>
        </span>
      )}
      <select
        class="inline"
        aria-label="Crawler"
        value={crawler}
        onChange={({ currentTarget: { value } }) =>
          route(
            `${page}?${new URLSearchParams({ ...others, ...(value && { crawler: value }), ...(file && { file }) })}`,
            true,
          )
        }
      >
        <option value="">All crawlers</option>
        {CRAWLERS.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
