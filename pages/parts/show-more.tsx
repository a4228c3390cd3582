/** The button that loads the next page of a list. */
import { useWork } from './action.tsx';

export interface ShowMoreProps {
  readonly list: {
    readonly data: { readonly pages: readonly unknown[] } | undefined;
    readonly hasNextPage: boolean;
    readonly fetchNextPage: (options: { throwOnError: true }) => Promise<ShowMoreProps['list']>;
  };
  /** The word for the rows, as in "uploads". */
  readonly what: string;
}

export function ShowMore({ list, what }: ShowMoreProps) {
  const { isBusy, error, run } = useWork(async () => {
    const former = list.data?.pages.length;
    // After a change in the account, the list is read again, and a request for its next page is dropped. Then request that page again.
    for (let now = list; now.hasNextPage && now.data?.pages.length === former; ) {
      now = await list.fetchNextPage({ throwOnError: true });
    }
  });
  if (!list.hasNextPage) return null;
  return (
    <p class="buttons">
      <button type="button" aria-disabled={isBusy} onClick={run}>
        {isBusy ? 'Loading …' : `Show more ${what}`}
      </button>
      {error && (
        <span class="error" role="alert">
          {error}
        </span>
      )}
    </p>
  );
}
