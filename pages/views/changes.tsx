/** The changes between any two kept generations of a sitemap. The address of the page can name both. */
import '../style/find.css';
import { useQuery } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import type { Generation, SitemapChanges } from '../../client/src/answers.ts';
import { domainPage, useDomain } from '../api/domain.ts';
import { ApiError, get } from '../api/request.ts';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { LoadFailure, Loading, WhenLoaded, waitingText } from '../parts/states.tsx';
import { ChangeStats } from './changes/change-stats.tsx';
import { ChangedUrls } from './changes/changed-urls.tsx';
import { ChooseGenerations } from './changes/choose-generations.tsx';
import { GoBack } from './changes/go-back.tsx';
import {
  changesPage,
  type Pair,
  type SitemapId,
  sitemapPage,
  sitemapPath,
  useGenerations,
} from './sitemap/sitemap-queries.ts';

export function Changes() {
  const { params } = useRoute();
  const sitemap: SitemapId = { domainId: String(params.id), name: String(params.name) };
  const domain = useDomain(sitemap.domainId);
  const generations = useGenerations(sitemap);
  const hostname = domain.data?.hostname;
  const { from, to } = useEnds(generations.rows);
  const pair = from === undefined || to === undefined ? undefined : { from, to };
  return (
    <Page
      title="What changed"
      shortTitle={`What changed in ${sitemap.name}`}
      above={
        <>
          <a href="/dashboard">Domains</a>
          <span>/</span>
          <a href={domainPage(sitemap.domainId)}>{hostname ?? 'Domain'}</a>
          <span>/</span>
          <a href={sitemapPage(sitemap)}>{sitemap.name}</a>
        </>
      }
      actions={
        pair && (
          <a class="button primary" href={download(sitemap, pair, 'csv')} download>
            <Icon name="download" /> Download CSV
          </a>
        )
      }
    >
      <WhenLoaded query={generations.list}>
        {() =>
          generations.live === undefined ? (
            <p class="quiet">This sitemap doesn't exist, or it isn't yours.</p>
          ) : pair === undefined ? (
            <section class="card">
              {to === undefined || to === 1 ? (
                <p>
                  This is the first upload of this sitemap, so all of its URLs are new. After the next one you
                  see here what changed.
                </p>
              ) : (
                <p>
                  The version before {to} is no longer kept, so it isn't known any more what version {to}{' '}
                  changed.{' '}
                  {to !== generations.live?.generation && (
                    <a href={changesPage(sitemap, { from: to })}>What changed since version {to}</a>
                  )}
                </p>
              )}
              <p>
                <a class="button" href={sitemapPage(sitemap)}>
                  See the sitemap
                </a>
              </p>
            </section>
          ) : (
            <Comparison sitemap={sitemap} rows={generations.rows} pair={pair} />
          )
        }
      </WhenLoaded>
    </Page>
  );
}

/**
 * Returns the generations to compare. If the address does not name `to`, this is the live one. If it does not name `from`, this is the last
 * kept one before `to`. `from` is undefined if there is none before it.
 */
function useEnds(rows: readonly Generation[]): Partial<Pair> {
  const { query } = useLocation();
  const kept = rows.filter(({ live, canRollBack }) => live || canRollBack);
  const to = numberOf(query.to) ?? kept.find(({ live }) => live)?.generation;
  const from =
    numberOf(query.from) ?? kept.find(({ generation }) => to !== undefined && generation < to)?.generation;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

const numberOf = (text: string | undefined) =>
  text && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

interface ComparisonProps {
  readonly sitemap: SitemapId;
  readonly rows: readonly Generation[];
  readonly pair: Pair;
}

function Comparison({ sitemap, rows, pair }: ComparisonProps) {
  const { from, to } = pair;
  const changes = useQuery({
    // Generations do not change, and the service reads files for each comparison. So one answer stays valid.
    queryKey: ['urls', 'changes', sitemap, from, to],
    queryFn: ({ signal }) =>
      get<SitemapChanges>(`${sitemapPath(sitemap, 'changes')}?from=${from}&to=${to}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error } = changes;
  return (
    <>
      <section class="card" aria-label="Compared versions">
        <ChooseGenerations sitemap={sitemap} rows={rows} pair={pair} />
      </section>
      {data === undefined ? (
        error ? (
          <Failure error={error} again={changes.refetch} />
        ) : (
          <Loading
            what={waitingText(
              changes.failureReason,
              'Comparing … It takes a second for a million URLs, or longer.',
            )}
          />
        )
      ) : data.state === 'rewritten' ? (
        <p class="notice">
          An update of Waypost wrote the files of one of them anew, so all files differ and nothing is
          compared.
        </p>
      ) : (
        <>
          <ChangeStats changes={data} rows={rows} pair={pair} />
          <ChangedUrls
            sitemap={sitemap}
            changes={data}
            pair={pair}
            ndjson={download(sitemap, pair, 'ndjson')}
          />
          <GoBack sitemap={sitemap} rows={rows} pair={pair} />
        </>
      )}
    </>
  );
}

/** Shows why there is no comparison. A generation that is no longer kept does not come back, so trying again is not offered. */
function Failure({ error, again }: { readonly error: unknown; readonly again: () => unknown }) {
  const isGone = error instanceof ApiError && (error.status === 404 || error.status === 409);
  if (!isGone) return <LoadFailure error={error} again={again} />;
  return (
    <p class="notice" role="status">
      {error.message} Choose another one.
    </p>
  );
}

const download = (sitemap: SitemapId, { from, to }: Pair, form: 'csv' | 'ndjson') =>
  `/dashboard/api/${sitemapPath(sitemap, 'changes')}?from=${from}&to=${to}&form=${form}`;
