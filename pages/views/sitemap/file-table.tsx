/** The files of the live generation, in their order. */
import { useState } from 'preact/hooks';
import type { SitemapFile } from '../../../src/edges/dashboard/wire.ts';
import type { useRows } from '../../api/rows.ts';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

/** A page of the list has 1,000 rows. That is too many to show at once. */
const SHOWN_AT_FIRST = 10;

const HEAD = [
  'File',
  { name: 'URLs', isNumber: true },
  { name: 'Size', isNumber: true },
  'Changed',
  'Content',
] as const;

export interface FileTableProps {
  /** The address of the whole sitemap. */
  readonly address: string;
  readonly files: ReturnType<typeof useRows<SitemapFile>>;
  readonly isServed: boolean;
  /** The number of the file whose URLs are shown below the table. */
  readonly chosen: number;
  readonly choose: (n: number) => void;
}

export function FileTable({ address, files: { list, rows }, isServed, chosen, choose }: FileTableProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN_AT_FIRST);
  return (
    <Card title="Files">
      <p>
        Address of this sitemap: <Copyable text={address} label="the address of the sitemap" />
      </p>
      <Table label="Files" head={HEAD} asCards>
        {shown.map((file) => (
          <Row
            key={file.n}
            file={file}
            isServed={isServed}
            isChosen={file.n === chosen}
            choose={() => choose(file.n)}
          />
        ))}
      </Table>
      {shown.length < rows.length ? (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show {counted(rows.length - shown.length, 'more file')}
          </button>
        </p>
      ) : (
        <ShowMore list={list} what="files" />
      )}
    </Card>
  );
}

export const nameOf = (url: string) => new URL(url).pathname.slice(1);

interface RowProps {
  readonly file: SitemapFile;
  readonly isServed: boolean;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Row({ file, isServed, isChosen, choose }: RowProps) {
  const { n, url } = file;
  return (
    <tr>
      <th scope="row">
        {isServed ? (
          <a href={url} target="_blank" rel="noreferrer" aria-label={`${nameOf(url)}, opens in a new tab`}>
            {nameOf(url)}
          </a>
        ) : (
          nameOf(url)
        )}
      </th>
      <td class="number" data-label="URLs">
        {count(file.urlCount)}
      </td>
      <td class="number" data-label="Size">
        <span>
          {bytes(file.bytes)}
          <span class="below">{bytes(file.gzipBytes)} gzip</span>
        </span>
      </td>
      <td data-label="Changed">
        <Time at={file.changedAt} />
      </td>
      <td>
        <span class="line nowrap">
          <button
            type="button"
            class="small"
            aria-pressed={isChosen}
            aria-label={`Show URLs of file ${n}`}
            onClick={choose}
          >
            URLs
          </button>
          <Copyable text={url} label={`the address of file ${n}`} isHidden />
          {isServed && (
            <a href={`${url}.gz`} target="_blank" rel="noreferrer" aria-label={`Raw file ${n}, as gzip`}>
              Raw
            </a>
          )}
        </span>
      </td>
    </tr>
  );
}
