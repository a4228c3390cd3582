/** Where the browser goes after a sign-in. */

const HOME = '/dashboard';
/** It stands in a cookie. */
const MAX_LENGTH = 1000;

/**
 * The path of `given` on our origin, with its query, as the URL parser sees it: browsers read `//a`, `/\a`
 * and tabs as it does. The start page for everything else, and for what is not a page.
 */
export function returnPath(given: unknown, origin: string): string {
  if (typeof given !== 'string' || given.length > MAX_LENGTH) return HOME;
  const url = URL.parse(given, origin);
  if (url === null || url.origin !== origin || url.username !== '' || url.password !== '') return HOME;
  const path = `${url.pathname}${url.search}`;
  const isPage = url.pathname === HOME || url.pathname.startsWith(`${HOME}/`);
  const isApi = url.pathname.startsWith(`${HOME}/api/`) || url.pathname === `${HOME}/api`;
  return isPage && !isApi && path.length <= MAX_LENGTH ? path : HOME;
}

/** `path`: of `returnPath`. */
export function withProblem(path: string, problem: string): string {
  const url = new URL(path, 'http://localhost');
  url.searchParams.set('problem', problem);
  return `${url.pathname}${url.search}`;
}
