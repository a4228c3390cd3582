/** The refused upload in the address of the page. A reload shows its page again. */
import { useEffect } from 'preact/hooks';
import { type LocationHook, useLocation } from 'preact-iso';

/** Keeps the refused upload in the address while its page is shown. Undefined: the upload has no page of its own. */
export function useRefusedAddress(uploadId: string | undefined, domainId: string | undefined): void {
  const { route } = useLocation();
  useEffect(() => {
    if (uploadId === undefined) return undefined;
    const query = new URLSearchParams({ ...(domainId && { domain: domainId }), refused: uploadId });
    route(`${location.pathname}?${query}`, true);
    return () => forgetRefused(route);
  }, [uploadId]);
}

export function forgetRefused(route: LocationHook['route']): void {
  const query = new URLSearchParams(location.search);
  // The address may belong to another page already.
  if (!query.has('refused')) return;
  query.delete('refused');
  const search = query.size > 0 ? `?${query}` : '';
  route(location.pathname + search, true);
}
