/** Loads @peculiar/x509 at its first use: its import takes about 100 ms, and most processes never need it. */

type X509 = typeof import('@peculiar/x509');

let loading: Promise<X509> | undefined;

export function loadX509(): Promise<X509> {
  loading ??= load();
  return loading;
}

async function load(): Promise<X509> {
  // The decorators of @peculiar/x509 throw without this import.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
