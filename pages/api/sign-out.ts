/** Signs out. Nothing of the account stays in the page, not even for the back button of the browser. */
import type { QueryClient } from '@tanstack/preact-query';
import { render } from 'preact';
import { ApiError, ask } from './request.ts';

/** Tells the page of the way in that somebody has left. The identity provider may lie between. */
const LEFT = 'waypost-left';

/** Throws ApiError, and then the session goes on. */
export async function signOut(client: QueryClient): Promise<void> {
  // A 401 means that the session has ended already.
  const { location: next } = await ask<{ location: string }>('POST', '/auth/sign-out').catch((error) => {
    if (error instanceof ApiError && error.status === 401) return { location: '/dashboard/sign-in' };
    throw error;
  });
  leave(client, next);
}

/** The session has ended already. */
export function leave(client: QueryClient, next: string): void {
  sessionStorage.setItem(LEFT, 'yes');
  // Browsers keep pages to show them again on the way back.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  render(null, document.getElementById('app')!);
  client.clear();
  location.replace(next);
}

/** Whether somebody has just left. It is told once. */
export function hasJustLeft(): boolean {
  const has = sessionStorage.getItem(LEFT) !== null;
  sessionStorage.removeItem(LEFT);
  return has;
}
