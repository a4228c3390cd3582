/** The states of content that is absent or outdated: it is loading, it failed, or there is none yet. */
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/request.ts';
import { shortTime } from './format.ts';

export function Loading({ what = 'Loading …' }: { readonly what?: string | undefined }) {
  return (
    <p class="quiet" role="status">
      {what}
    </p>
  );
}

export interface LoadFailureProps {
  readonly error: unknown;
  readonly again: () => unknown;
}

export function LoadFailure({ error, again }: LoadFailureProps) {
  const isAbsent = error instanceof ApiError && error.status === 404;
  return (
    <div class="notice notice-bad" role="alert">
      <p>{isAbsent ? "This doesn't exist, or it isn't yours." : messageOf(error)}</p>
      {isAbsent ? (
        <a class="button" href="/dashboard">
          Go to Overview
        </a>
      ) : (
        <button type="button" onClick={() => void again()}>
          Try again
        </button>
      )}
    </div>
  );
}

/** `children`: says that there is nothing yet, and what to do about it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  /** The error of the last try, while further tries follow. */
  readonly failureReason: unknown;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
}

export interface WhenLoadedProps<Data> {
  readonly query: Loaded<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** If a new read fails and is tried again, content older than this is shown with its time. */
const OLD_MS = 20_000;

/** Shows the content as soon as it is there. If a later read fails, the former content stays. */
export function WhenLoaded<Data>({ query, children }: WhenLoadedProps<Data>) {
  const { data, error, failureReason, dataUpdatedAt, refetch } = query;
  if (data === undefined && error) return <LoadFailure error={error} again={refetch} />;
  if (data === undefined) return <Loading what={waitingText(failureReason)} />;
  // If Waypost is out of reach, the line below the bar already says so.
  const isOld = failureReason && !isUnreachable(failureReason) && Date.now() - dataUpdatedAt > OLD_MS;
  return (
    <>
      {(error || isOld) && (
        <div class="notice" role="status">
          <p>
            From {shortTime(dataUpdatedAt)}. {messageOf(error ?? failureReason)}
          </p>
          <button type="button" onClick={() => void refetch()}>
            Try again
          </button>
        </div>
      )}
      {children(data)}
    </>
  );
}

const isUnreachable = (error: unknown) => error instanceof ApiError && error.status === 0;

/**
 * Returns the text to show while content is read for the first time. `reason`: the error of the last try, if one has failed. `otherwise`:
 * the text if none has failed.
 */
export function waitingText(reason: unknown, otherwise?: string): string | undefined {
  if (!reason) return otherwise;
  return isUnreachable(reason) ? 'Not connected. Trying again …' : `${messageOf(reason)} Trying again …`;
}

export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'Something went wrong in this page. Try again.';
}
