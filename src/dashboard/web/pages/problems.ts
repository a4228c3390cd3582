/** What `/auth/callback` says in `problem` when somebody was not signed in, or an identity was not linked. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: 'Signing in took more than ten minutes. Begin again.',
  'other-browser': 'This sign-in was begun in another browser, or long ago. Begin again here.',
  'provider-down': 'The identity provider does not answer. Try again in a moment.',
  refused: 'The identity provider did not sign you in.',
  'email-domain': 'Your email address does not belong to the domains that may sign in here.',
  failed: 'Signing in did not work. Begin again.',
};

/** `search`: of the address. Undefined without a problem. */
export function problemIn(search: string): string | undefined {
  const problem = new URLSearchParams(search).get('problem');
  if (problem === null) return undefined;
  return Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem] : PROBLEMS.failed;
}
