/** Checks the path that the browser returns to after a sign-in. */

const HOME = '/dashboard';
export const SIGN_IN = '/dashboard/sign-in';
/** The path is kept in a cookie, so its length has a limit. */
const MAX_LENGTH = 1000;

/**
 * Returns the path and query of `given` on our origin, as the URL parser reads it: browsers read `//a`, `/\a`
 * and tabs as the parser does. Returns the start page for another origin, and for a path that is no page.
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

/** Returns the path of the sign-in page, after which the browser goes to `returnTo`. */
export function signInPath(returnTo: string): string {
  return returnTo === HOME ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ return_to: returnTo })}`;
}

/** Adds a problem to the query of a path from `returnPath`. */
export function withProblem(path: string, problem: string): string {
  const url = new URL(path, 'http://localhost');
  url.searchParams.set('problem', problem);
  return `${url.pathname}${url.search}`;
}
