/** Signs out. Nothing of the account stays in the page, not even for the back button of the browser. */
import type { QueryClient } from '@tanstack/preact-query';
import { render } from 'preact';
import { ApiError, ask } from './request.ts';

/**
 * The key in the session storage by which the sign-in page knows that the person has just signed out. It outlasts a visit to the identity
 * provider.
 */
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
export function leave(client: QueryClient, next: string): void {
  sessionStorage.setItem(LEFT, 'yes');
  // Browsers keep the pages that a person leaves, and show them again when the person goes back.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  render(null, document.getElementById('app')!);
  client.clear();
  location.replace(next);
}

/** Returns whether the person has just signed out. Only the first call after a sign-out returns true. */
export function hasJustLeft(): boolean {
  const has = sessionStorage.getItem(LEFT) !== null;
  sessionStorage.removeItem(LEFT);
  return has;
}
