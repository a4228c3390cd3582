/** Tells whether a URL is in a sitemap, and what happened to it. */
import '../style/find.css';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import type { FoundUrl } from '../../client/src/answers.ts';
import { findPage } from '../api/find-page.ts';
import { ApiError, get } from '../api/request.ts';
import { fieldError } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { LoadFailure, Loading, waitingText } from '../parts/states.tsx';
import { Answer } from './find/answer.tsx';
import { FindForm } from './find/find-form.tsx';
import { type LookUp, lookUpAgain, mayFindMore } from './find/look-up.ts';
import { wholeUrlOf } from './find/whole-url.ts';

/** The time between two look-ups while the next one may search more files. */
const LOOK_AGAIN_MS = 5000;

export function Find() {
  const { query } = useLocation();
  const { url = '', domain = '' } = query;
  const client = useQueryClient();
  const queryKey = ['find', url, domain];
  const found = useQuery({
    queryKey,
    queryFn: async () => {
      const asked = new URLSearchParams({ url, ...(domain && { domain }) });
      const answer = await get<FoundUrl>(`find?${asked}`);
      return lookUpAgain(client.getQueryData<LookUp>(queryKey), answer, performance.now());
    },
    enabled: url !== '',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => state.data !== undefined && mayFindMore(state.data) && LOOK_AGAIN_MS,
  });
  const { data, error, isPlaceholderData } = found;
  const isWrong = error instanceof ApiError && error.details.field === 'url';
  return (
    <Page title="Find a URL" shortTitle={url === '' ? 'Find a URL' : `Find ${url}`}>
      <FindForm url={url} domain={domain} fault={isWrong ? faultOf(url, error) : undefined} />
      {url === '' ? (
        <p class="quiet">
          Enter the whole URL of a page. Waypost says which of your sitemaps has it, since when, and who
          fetched that file.
        </p>
      ) : error && !isWrong ? (
        <LoadFailure error={error} again={found.refetch} />
      ) : isWrong ? (
        <WholeUrl url={url} domain={domain} />
      ) : data === undefined || isPlaceholderData ? (
        <Loading what={waitingText(found.failureReason, 'Looking …')} />
      ) : (
        <Answer found={data.found} domain={domain} looksAgain={mayFindMore(data)} />
      )}
    </Page>
  );
}

function faultOf(url: string, error: unknown): string | undefined {
  return wholeUrlOf(url) === undefined
    ? fieldError(error)
    : 'Only whole URLs are found, with https:// at the beginning';
}

/** Proposes the whole URL, because only whole URLs are found. */
function WholeUrl({ url, domain }: { readonly url: string; readonly domain: string }) {
  const whole = wholeUrlOf(url);
  if (whole === undefined) return null;
  return (
    <p>
      Did you mean <a href={findPage(whole, domain)}>{whole}</a>?
    </p>
  );
}
