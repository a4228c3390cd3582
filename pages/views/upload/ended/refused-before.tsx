/** The page of a refused upload without its file: a person has loaded the page again, or has opened its address elsewhere. */
import { useQuery } from '@tanstack/preact-query';
import { uploadQuery } from '../../../api/queries.ts';
import { Page } from '../../../parts/page.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';
import { mistakesOf } from '../mistakes/found-mistakes.ts';
import { RefusedPage } from './refused-page.tsx';

export interface RefusedBeforeProps {
  readonly id: string;
  readonly again: () => void;
}

export function RefusedBefore({ id, again }: RefusedBeforeProps) {
  const attempt = useQuery(uploadQuery(id));
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
      again={again}
    >
      <button type="button" class="primary full" onClick={again}>
        Choose the file again
      </button>
    </RefusedPage>
  );
}
