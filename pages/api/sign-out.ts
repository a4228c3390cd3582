/** Signs out. Nothing of the account stays in the page, not even for the back button of the browser. */
import type { QueryClient } from '@tanstack/preact-query';
import { render } from 'preact';
import { ApiError, ask } from './request.ts';
import { cancelWork } from './tab-work.ts';

/** Why a person has just left the pages: the sign-in page says so. */
export type Leaving = 'signed out' | 'left the account';

/** The key in the session storage for the sign-in page. It outlasts a visit to the identity provider. */
const LEFT = 'waypost-left';

/** Throws ApiError if the sign-out fails. Then the session goes on. */
export async function signOut(client: QueryClient): Promise<void> {
  // A 401 means that the session has ended already.
  const { location: next } = await ask<{ location: string }>('POST', '/auth/sign-out').catch((error) => {
    if (error instanceof ApiError && error.status === 401) return { location: '/dashboard/sign-in' };
    throw error;
  });
  leave(client, next);
}

/** Leaves the page for the address `next`, and forgets all that the page knows of the account. The session must have ended already. */
export function leave(client: QueryClient, next: string, why: Leaving = 'signed out'): void {
  sessionStorage.setItem(LEFT, why);
  cancelWork();
  // Browsers keep the pages that a person leaves, and show them again when the person goes back.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  render(null, document.getElementById('app')!);
  client.clear();
  location.replace(next);
}

/** Returns why the person has just left. Only the first call after that returns it. */
export function justLeft(): Leaving | undefined {
  const why = sessionStorage.getItem(LEFT);
  sessionStorage.removeItem(LEFT);
  return why === null ? undefined : why === 'left the account' ? why : 'signed out';
}
