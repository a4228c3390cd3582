/**
 * Why somebody could not sign in, in one word for the page. What a provider says is neither shown nor logged.
 */
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import type { Log } from '../../platform/log.ts';
import { sayRarely } from '../../platform/say-rarely.ts';
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

/** A code of OAuth, as in invalid_grant: nobody can hide a secret in it. */
const OAUTH_CODE = /^[a-z_]{1,40}$/;
const LIBRARY_CODE = /^[A-Z_]{1,60}$/;
/** Enough to see a pattern, few enough for a flood. */
const LINES = 20;
const MAX_CAUSES = 10;

/** Of an error that the exchange with the provider ended with. */
export function problemOf(error: unknown): SignInProblem {
  const causes = causesOf(error);
  const failure = causes.find((cause) => cause instanceof SignInFailure);
  if (failure !== undefined) return failure.problem;
  if (causes.some((cause) => cause instanceof ProviderDown)) return 'provider-down';
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'refused';
  return 'failed';
}

/** A provider that is down, or that does not take our secret, is the operator's business. */
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
  // As many as there are in the settings.
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

export type ComplainOfSignIn = ReturnType<typeof createSignInComplaints>;

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
