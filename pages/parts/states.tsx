/**
 * What stands where something is not there: it is loading, it failed, there is none yet, or it is not the
 * newest.
 */
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/request.ts';
import { clockTime } from './format.ts';

export function Loading({ what = 'Loading …' }: { readonly what?: string }) {
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
  return (
    <div class="notice notice-bad" role="alert">
      <p>{messageOf(error)}</p>
      <button type="button" onClick={() => void again()}>
        Try again
      </button>
    </div>
  );
}

/** `children`: what to do about it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
}

export interface WhenLoadedProps<Data> {
  readonly query: Loaded<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** The content when it is there. What was read before stays if reading it again fails. */
export function WhenLoaded<Data>({ query, children }: WhenLoadedProps<Data>) {
  const { data, error, dataUpdatedAt, refetch } = query;
  if (data === undefined) return error ? <LoadFailure error={error} again={refetch} /> : <Loading />;
  return (
    <>
      {error ? (
        <div class="notice" role="status">
          <p>
            As of {clockTime(dataUpdatedAt)}. {messageOf(error)}
          </p>
          <button type="button" onClick={() => void refetch()}>
            Try again
          </button>
        </div>
      ) : null}
      {children(data)}
    </>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'Something went wrong in this page. Try again.';
}
