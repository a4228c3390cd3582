/** The refused upload in the address of the page. */

/** Returns the id of the refused upload in the address, if there is one. */
export function refusedBefore({ search }: Pick<Location, 'search'>): string | undefined {
  return new URLSearchParams(search).get('refused') ?? undefined;
}

/** Keeps the refusal in the address, so that it can be loaded again. */
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
