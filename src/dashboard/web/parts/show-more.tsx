/** The way to the next page of a list. */
import { messageOf } from './states.tsx';

export interface ShowMoreProps {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  /** As in "uploads". */
  readonly what: string;
}

export function ShowMore({ list, what }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  const { isFetchingNextPage: isBusy } = list;
  return (
    <p class="buttons">
      <button type="button" aria-disabled={isBusy} onClick={() => void list.fetchNextPage()}>
        {isBusy ? 'Loading …' : `Show more ${what}`}
      </button>
      {list.isFetchNextPageError && (
        <span class="error" role="alert">
          {messageOf(list.error)}
        </span>
      )}
    </p>
  );
}
