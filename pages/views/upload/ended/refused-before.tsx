/** A refused upload whose file is no longer here: its page was loaded again, or somebody sent the address. */
import { useQuery } from '@tanstack/preact-query';
import { uploadQuery } from '../../../api/queries.ts';
import { Page } from '../../../parts/page.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';
import { mistakesOf } from '../mistakes/found-mistakes.ts';
import { RefusedPage } from './refused-page.tsx';

/** The id in the address, if there is one. */
export function refusedBefore({ search }: Pick<Location, 'search'>): string | undefined {
  return new URLSearchParams(search).get('refused') ?? undefined;
}

/** Keeps the refusal in the address, so that it can be loaded again. */
export function rememberRefused(uploadId: string, domainId: string | undefined): void {
  const query = new URLSearchParams({ ...(domainId && { domain: domainId }), refused: uploadId });
  history.replaceState(history.state, '', `${location.pathname}?${query}`);
}

export function forgetRefused(): void {
  const query = new URLSearchParams(location.search);
  // It may be the address of another page already.
  if (!query.has('refused')) return;
  query.delete('refused');
  const search = query.size > 0 ? `?${query}` : '';
  history.replaceState(history.state, '', location.pathname + search + location.hash);
}

export interface RefusedBeforeProps {
  readonly id: string;
  readonly again: () => void;
}

export function RefusedBefore({ id, again }: RefusedBeforeProps) {
  const attempt = useQuery(uploadQuery(id));
  const start = () => {
    forgetRefused();
    again();
  };
  if (attempt.data === undefined) {
    return (
      <Page title="Upload">
        <WhenLoaded query={attempt}>{() => null}</WhenLoaded>
      </Page>
    );
  }
  const { data } = attempt;
  return (
    <RefusedPage
      found={mistakesOf(data)}
      fileName={undefined}
      sitemapName={data.sitemapName ?? 'default'}
      hostname={data.domain}
      domainId={new URLSearchParams(location.search).get('domain') ?? undefined}
      source={undefined}
      again={start}
    >
      <button type="button" class="primary full" onClick={start}>
        Choose the file again
      </button>
    </RefusedPage>
  );
}
