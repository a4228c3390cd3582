/**
 * The page of a sitemap: its facts, last changes, generations, files and URLs, schedule, expected uploads, and deletion. A sitemap that
 * does not exist yet has only its schedule.
 */
import { useLocation, useRoute } from 'preact-iso';
import type { Generation } from '../../client/src/answers.ts';
import { givenSitemapName, sitemapFileName } from '../../src/core/sitemap/file-names.ts';
import type { SitemapFile } from '../../src/edges/dashboard/wire.ts';
import { domainPage, useDomain } from '../api/domain.ts';
import { useRows } from '../api/rows.ts';
import { isServed } from '../parts/domain-state.ts';
import { bytes, count, counted } from '../parts/format.ts';
import { Page } from '../parts/page.tsx';
import { Loading, WhenLoaded } from '../parts/states.tsx';
import { Stats } from '../parts/stats.tsx';
import { Time } from '../parts/time.tsx';
import { uploadPage } from './domain/upload-page.ts';
import { RunningUploads } from './overview/running-uploads.tsx';
import { ChangesCard } from './sitemap/changes-card.tsx';
import { DeleteSitemap } from './sitemap/delete-sitemap.tsx';
import { FileTable } from './sitemap/file-table.tsx';
import { FreshnessCard } from './sitemap/freshness-card.tsx';
import { GenerationTable } from './sitemap/generation-table.tsx';
import { ScheduleCard } from './sitemap/schedule-card.tsx';
import { type SitemapId, sitemapKey, sitemapPath, useGenerations } from './sitemap/sitemap-queries.ts';
import { UrlTable } from './sitemap/url-table.tsx';
import { useFile } from './sitemap/use-file.ts';

export function Sitemap() {
  const { params } = useRoute();
  const sitemap: SitemapId = { domainId: String(params.id), name: String(params.name) };
  const { domainId, name } = sitemap;
  const domain = useDomain(domainId);
  const generations = useGenerations(sitemap);
  const hostname = domain.data?.hostname;
  return (
    <Page
      title={`Sitemap ${name}`}
      shortTitle={hostname === undefined ? name : `${name}, ${hostname}`}
      above={
        <>
          <a href="/dashboard">Domains</a>
          <span>/</span>
          <a href={domainPage(domainId)}>{hostname ?? 'Domain'}</a>
        </>
      }
      actions={
        <a class="button primary" href={uploadPage(domainId, name)}>
          Upload URLs
        </a>
      }
    >
      <RunningUploads domainId={domainId} sitemapName={name} />
      <WhenLoaded query={domain}>
        {() => (
          <WhenLoaded query={generations.list}>
            {() => <Loaded sitemap={sitemap} generations={generations} isServed={isServed(domain.data!)} />}
          </WhenLoaded>
        )}
      </WhenLoaded>
    </Page>
  );
}

interface LoadedProps {
  readonly sitemap: SitemapId;
  readonly generations: ReturnType<typeof useGenerations>;
  readonly isServed: boolean;
}

function Loaded({ sitemap, generations, isServed }: LoadedProps) {
  const { live } = generations;
  return (
    <>
      {live === undefined ? (
        <p class="quiet">This sitemap doesn't exist yet. An upload or a load makes it.</p>
      ) : (
        <>
          <SitemapFacts live={live} />
          <ChangesCard sitemap={sitemap} />
          <GenerationTable sitemap={sitemap} generations={generations} />
          <Files sitemap={sitemap} live={live} isServed={isServed} />
        </>
      )}
      {/* The card stays when the sitemap is made: a dialog of it may be open. */}
      <div class="halves" key="schedule">
        <ScheduleCard sitemap={sitemap} />
        {live && <FreshnessCard sitemap={sitemap} />}
      </div>
      {live && <DeleteSitemap sitemap={sitemap} urlCount={live.urlCount} />}
    </>
  );
}

/** Returns the address of the whole sitemap. Its file is beside the files of the parts. */
function addressOf({ name }: SitemapId, { url }: SitemapFile): string {
  return new URL(sitemapFileName(givenSitemapName(name)), url).href;
}

interface FilesProps {
  readonly sitemap: SitemapId;
  readonly live: Generation;
  readonly isServed: boolean;
}

function Files({ sitemap, live, isServed }: FilesProps) {
  const { path, query, route } = useLocation();
  // The address of the page has the file, so that people can share it.
  const chosen = Number(query.file ?? 1);
  const files = useRows<SitemapFile>(sitemapKey(sitemap, 'files'), sitemapPath(sitemap, 'files'));
  const { file, isToCome } = useFile(chosen, files);
  const [first] = files.rows;
  return (
    <WhenLoaded query={files.list}>
      {() =>
        first && (
          <>
            <FileTable
              address={addressOf(sitemap, first)}
              files={files}
              isServed={isServed}
              chosen={chosen}
              choose={(n) => route(`${path}?file=${n}`, true)}
            />
            {file ? (
              <UrlTable key={file.n} sitemap={sitemap} generation={live.generation} file={file} />
            ) : isToCome ? (
              <Loading />
            ) : (
              <p class="quiet">This sitemap has no file {query.file}. A new upload may have fewer files.</p>
            )}
          </>
        )
      }
    </WhenLoaded>
  );
}

/** The facts about the live generation of a sitemap. */
function SitemapFacts({ live }: { readonly live: Generation }) {
  return (
    <Stats
      facts={[
        { name: 'URLs', value: count(live.urlCount), below: `in ${counted(live.filesGenerated, 'file')}` },
        { name: 'Size', value: bytes(live.gzipBytes), below: 'compressed' },
        {
          name: 'Live version',
          value: count(live.generation),
          below: (
            <>
              published <Time at={live.publishedAt} />
            </>
          ),
        },
      ]}
    />
  );
}
