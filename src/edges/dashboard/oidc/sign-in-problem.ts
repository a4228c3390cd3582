/** Turns the failure of a sign-in into one word for the page, and logs it. Texts of a provider are neither shown nor logged. */
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import type { Log } from '../../../platform/log.ts';
import { sayRarely } from '../../../platform/say-rarely.ts';
import type { SignInProblem } from '../wire.ts';
import { ProviderDown } from './ask-provider.ts';

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** An error code of OAuth, as in invalid_grant: it is too simple to contain a secret, so it may be logged. */
const OAUTH_CODE = /^[a-z_]{1,40}$/;
const LIBRARY_CODE = /^[A-Z_]{1,60}$/;
/** The most log lines in a period: enough to see a pattern, few enough in a flood. */
const LINES = 20;
const MAX_CAUSES = 10;

/** Returns the problem for an error that ended the exchange with the provider. */
export function problemOf(error: unknown): SignInProblem {
  const causes = causesOf(error);
  const failure = causes.find((cause) => cause instanceof SignInFailure);
  if (failure !== undefined) return failure.problem;
  if (causes.some((cause) => cause instanceof ProviderDown)) return 'provider-down';
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'refused';
  return 'failed';
}

/**
 * Creates the log of failed sign-ins. It tells apart failures that the operator can cure: the provider is down, or does not accept our
 * secret.
 */
export function createSignInComplaints(log: Log) {
  const say = (provider: string) => ({
    person: sayRarely<object>(
      (details, { unsaid }) => log.info({ provider, ...details, unsaid }, 'sign-in failed'),
      { lines: LINES },
    ),
    operator: sayRarely<object>((details, { unsaid }) =>
      log.warn({ provider, ...details, unsaid }, 'an identity provider does not work'),
    ),
  });
  // The map has at most one entry for each configured provider, and one for `none`.
  const ofProvider = new Map<string, ReturnType<typeof say>>();
  return (provider: string | undefined, error: unknown): void => {
    const name = provider ?? 'none';
    const { person, operator } = ofProvider.get(name) ?? say(name);
    ofProvider.set(name, { person, operator });
    const problem = problemOf(error);
    const causes = causesOf(error);
    const codes = [...new Set(causes.flatMap(codesOf))];
    const reason = causes.findLast((cause) => cause instanceof ProviderDown)?.message;
    const isOurs = problem === 'provider-down' || codes.includes('invalid_client');
    (isOurs ? operator : person)({ problem, codes, ...(reason !== undefined && { reason }) });
  };
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) {
    causes.push(cause);
  }
  return causes;
}

function codesOf(error: unknown): string[] {
  const isOauth = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
  if (isOauth && OAUTH_CODE.test(error.error)) return [error.error];
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && LIBRARY_CODE.test(code) ? [code] : [];
}
