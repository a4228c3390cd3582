/** The words for `problem` in the address: `/auth` sets it if a person was not signed in, or an identity was not linked. */
import type { SignInProblem } from '../../src/edges/dashboard/wire.ts';

const PROBLEMS: Readonly<Record<SignInProblem, string>> = {
  expired: 'Signing in took more than ten minutes. Begin again.',
  'other-browser': 'This sign-in was begun in another browser or another tab. Begin again here.',
  'provider-down': 'The identity provider does not answer. Try again in a moment.',
  refused: 'The identity provider did not sign you in, or you stopped there.',
  'email-domain':
    'Your email address does not belong to the domains that may sign in here, or it is not verified.',
  failed: 'Signing in did not work. Begin again.',
  invitation: 'The invitation was used or revoked, or it is too old. Ask for another one.',
  'other-invitation':
    'You have opened another invitation since, or your browser keeps no cookies. Open the link of the one that you want again.',
  'too-many': 'There were too many attempts from your address. Try again in a minute.',
  stale:
    'Nothing was added, because the identity provider did not ask for your password just now. Sign out there and add it again.',
  'linked-elsewhere':
    'Nothing was added: this identity belongs to another person here. Sign in with it, and remove it there first.',
  'signed-out': 'Your session has ended. Sign in, and add the identity again.',
};

/** Returns the words. Undefined if the address has no `problem`. `search`: the query of the address. */
export function problemIn(search: string): string | undefined {
  const problem = new URLSearchParams(search).get('problem');
  if (problem === null) return undefined;
  return Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem as SignInProblem] : PROBLEMS.failed;
}
