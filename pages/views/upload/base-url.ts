/** Reads the address of the website to which the paths of a file belong. */

/**
 * Returns the parameter for what a person typed: `shop.example.com` is `https://shop.example.com/`. A path gets a slash at its end, because
 * its last name would be replaced otherwise (RFC 3986, section 5.2.3). Returns undefined if nothing was typed.
 */
export function baseUrlOf(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.parse(whole);
  // The service says what is wrong with the text.
  if (url === null || url.search !== '' || url.hash !== '') return text;
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url.href;
}
