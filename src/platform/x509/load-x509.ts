/** Loads @peculiar/x509 at its first use, because its import takes about 100 ms, and most processes never need it. */

export async function loadX509() {
  // The decorators of @peculiar/x509 throw without this import.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
