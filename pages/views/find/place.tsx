/** A place of the URL: its history there, and its entry. */
import { type EntryFields, fieldsOf } from '../../../src/core/sitemap/entry-fields.ts';
import { Card } from '../../parts/card.tsx';
import { calendarDay, count, dayAndTime } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { sitemapPage } from '../sitemap/sitemap-queries.ts';
import { type FoundPlace, fileNameOf } from './found-place.ts';
import { lastmodOf } from './lastmod.ts';
import { Trail } from './trail.tsx';

export function Place({ place }: { readonly place: FoundPlace }) {
  const { file, added, changed, knownSince, visits } = place;
  const fields = fieldsOf(place.entry);
  const [visit] = visits;
  return (
    <div class="split">
      <Card title="History">
        <Trail place={place} />
      </Card>
      <Card
        title="Entry"
        foot={
          <span>
            We see who fetches the file. Visits to the page itself are in your server logs. A crawler's name
            is what it says of itself.
          </span>
        }
      >
        <dl class="facts">
          <dt>File</dt>
          <dd>
            <a href={file.url} target="_blank" rel="noreferrer">
              {fileNameOf(place)}
            </a>
          </dd>
          <dt>Added</dt>
          <dd>
            {added
              ? calendarDay(added.publishedAt)
              : knownSince === null
                ? 'Not known'
                : `Before version ${count(knownSince)} or with it`}
          </dd>
          <dt>Last modified</dt>
          <dd>{fields.lastmod === undefined ? 'No date' : lastmodOf(fields.lastmod)}</dd>
          <dt>Last change</dt>
          <dd>
            {changed
              ? `${calendarDay(changed.publishedAt)}, version ${count(changed.generation)}`
              : 'None known'}
          </dd>
          <dt>Last crawl</dt>
          <dd>
            {visit ? (
              <>
                <Time at={visit.lastVisitAt} />, {visit.crawler}
              </>
            ) : (
              'Not yet'
            )}
          </dd>
          <Others fields={fields} />
        </dl>
      </Card>
    </div>
  );
}

function Others({ fields }: { readonly fields: EntryFields }) {
  const { changefreq, priority, images, alternates, videos, news } = fields;
  const rows = [
    ['Changes', changefreq],
    ['Priority', priority],
    ['Languages', alternates?.replaceAll(' ', ', ')],
    ['Images', images],
    ['Videos', videos],
    ['News', news && 'Yes'],
  ].filter(([, value]) => value !== undefined);
  return (
    <>
      {rows.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </>
  );
}

/** The files that have the URL. */
export function Places({
  places,
  hasMore,
}: {
  readonly places: readonly FoundPlace[];
  readonly hasMore: boolean;
}) {
  return (
    <Card
      title="Files that have it"
      foot={hasMore && <span>There are more. Choose a domain to see them.</span>}
    >
      <Table label="Files that have it" head={['File', 'Sitemap', 'Added', 'Last crawl']} asCards>
        {places.map(({ domainId, domain, sitemapName, file, added, visits: [visit] }) => (
          <tr key={file.url}>
            <th scope="row">
              <a href={file.url} target="_blank" rel="noreferrer">
                {fileNameOf({ file })}
              </a>
            </th>
            <td data-label="Sitemap">
              <a href={sitemapPage({ domainId, name: sitemapName })}>{sitemapName}</a>
              <span class="below">{domain}</span>
            </td>
            <td data-label="Added">
              {added ? (
                <span title={dayAndTime(added.publishedAt)}>{calendarDay(added.publishedAt)}</span>
              ) : (
                <span>Not known</span>
              )}
            </td>
            <td data-label="Last crawl">{visit ? <Time at={visit.lastVisitAt} /> : <span>Not yet</span>}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
