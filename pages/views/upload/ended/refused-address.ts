/** The refused upload in the address of the page. */

/** Returns the id of the refused upload in the address, if there is one. */
export function refusedBefore({ search }: Pick<Location, 'search'>): string | undefined {
  return new URLSearchParams(search).get('refused') ?? undefined;
}

/** Puts the refused upload into the address, so that a reload shows the page again. */
export function rememberRefused(uploadId: string, domainId: string | undefined): void {
  const query = new URLSearchParams({ ...(domainId && { domain: domainId }), refused: uploadId });
  history.replaceState(history.state, '', `${location.pathname}?${query}`);
}

export function forgetRefused(): void {
  const query = new URLSearchParams(location.search);
  // The address may belong to another page already.
  if (!query.has('refused')) return;
  query.delete('refused');
  const search = query.size > 0 ? `?${query}` : '';
  history.replaceState(history.state, '', location.pathname + search + location.hash);
}
