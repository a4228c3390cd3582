/** The Content-Security-Policy of the pages (W3C CSP 3). */

/**
 * No other site may frame our pages, no script may write HTML, and all content comes from our origin. `styles`: hashes of `<style>`
 * elements.
 */
export function contentPolicy(styles: readonly string[] = []): string {
  const styleSources = ["'self'", ...styles.map((hash) => `'sha256-${hash}'`)].join(' ');
  return (
    `default-src 'none'; script-src 'self'; style-src ${styleSources}; img-src 'self'; connect-src 'self'; form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
  );
}
