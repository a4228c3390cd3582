/** Asks Waypost to load a list, or an existing sitemap with all its files. The load goes on if the page is closed. */
import { useLocation } from 'preact-iso';
import type { AskedLoad } from '../../client/src/answers.ts';
import { announce } from '../parts/announce.tsx';
import { domainPage, useRenewDomain } from './domain.ts';
import { ask } from './request.ts';
import { sourceOf } from './source-of.ts';

interface Target {
  readonly id: string;
  readonly hostname: string;
}

/**
 * Returns a function that begins a load of the typed address, and then opens the list of uploads of the domain. It throws ApiError.
 * `domainId`: the domain that the pages read again. `more`: other members of the request.
 */
export function useImport(domainId: string) {
  const { route } = useLocation();
  const renew = useRenewDomain(domainId);
  return async ({ id, hostname }: Target, typed: string, more: object = {}): Promise<void> => {
    await ask<AskedLoad>('POST', 'sitemap/load', { domain: hostname, sources: [sourceOf(typed)], ...more });
    announce('The import begins.');
    route(domainPage(id, 'uploads'));
    await renew();
  };
}
