/**
 * Completes one order at one authority. Begins a new order, or goes on from the state that another process has saved:
 *
 *   order → saved with its key → authorization → challenge → ready → finalize → valid → certificate
 */
import type { AcmeClient } from '../../platform/acme/acme-client.ts';
import { AcmeError, type AcmeProblem } from '../../platform/acme/acme-error.ts';
import type { Authorization, Order } from '../../platform/acme/acme-resources.ts';
import { type KeyRing, SealError } from '../../platform/key-ring.ts';
import { newPrivateKey } from '../../platform/x509/certificate-key.ts';
import { createSigningRequest } from '../../platform/x509/signing-request.ts';
import type { HostChallenge } from '../sites/certificate.ts';
import { IssuanceError, type IssuanceRequest, type IssuedCertificate } from './issuer.ts';
import { OPERATOR_MS } from './retry-times.ts';
import { orderSubject } from './sealed-subjects.ts';

export interface CompleteOrderOptions {
  readonly client: AcmeClient;
  readonly directory: string;
  readonly keys: KeyRing;
  /** The addresses of the hostname. All of them are ours. */
  readonly addresses: readonly string[];
  /** Makes hosting answer the challenge, then calls `ask`. */
  readonly prove: <Proof>(challenge: HostChallenge, ask: () => Promise<Proof>) => Promise<Proof>;
  /** Takes a token for a new order of the account. Throws AcmeError (`rateLimited`) if there is none. */
  readonly takeToken: () => Promise<void>;
}

/**
 * The time limit of a decision. An authority checks from several places, and later writes to public logs. Each of the two takes seconds.
 */
const DECISION_MS = 90_000;

/** Returns the certificate of a completed order. Throws AcmeError, IssuanceError or LeaseLost. */
export async function completeOrder(
  options: CompleteOrderOptions,
  request: IssuanceRequest,
): Promise<IssuedCertificate> {
  const { client, directory } = options;
  const { hostname, signal } = request;
  const started = (await resumeOrder(options, request)) ?? (await beginOrder(options, request));
  const { privateKey } = started;
  let { order } = started;
  if (order.status === 'pending') {
    for (const url of order.authorizations) await authorize(options, request, url);
  }
  order = await client.settledOrder(order.url, { deadlineMs: DECISION_MS, signal });
  if (order.status === 'ready') {
    await client.finalize(order, await createSigningRequest(hostname, privateKey));
    order = await client.issuedOrder(order.url, { deadlineMs: DECISION_MS, signal });
  }
  if (order.status !== 'valid') throw await orderFailed(request, order);
  return { chain: await client.certificate(order), privateKey, directory };
}

interface StartedOrder {
  readonly order: Order;
  /** The private key, as PKCS #8 in DER. */
  readonly privateKey: Uint8Array;
}

/** Returns the saved order; undefined if there is none at this authority, or if it can no longer succeed. */
async function resumeOrder(
  { client, directory, keys }: CompleteOrderOptions,
  { hostname, order: saved, saveOrder }: IssuanceRequest,
): Promise<StartedOrder | undefined> {
  if (saved === undefined || saved.directory !== directory) return undefined;
  try {
    const privateKey = keys.open(saved.key, orderSubject(hostname, saved.url));
    const order = await client.order(saved.url);
    if (order.status !== 'invalid') return { order, privateKey };
  } catch (error) {
    // `refused`: the authority has forgotten the order. SealError: CERTIFICATE_KEYS lacks the key that sealed the order's private key.
    const isForgotten = error instanceof AcmeError && error.kind === 'refused';
    if (!isForgotten && !(error instanceof SealError)) throw error;
  }
  await saveOrder(undefined);
  return undefined;
}

async function beginOrder(options: CompleteOrderOptions, request: IssuanceRequest): Promise<StartedOrder> {
  const { directory, keys } = options;
  const { hostname, saveOrder } = request;
  const order = await newOrder(options, request);
  const privateKey = newPrivateKey();
  const { url } = order;
  await saveOrder({ directory, url, key: keys.seal(privateKey, orderSubject(hostname, url)) });
  return { order, privateKey };
}

/** Places a new order. A renewal names the certificate that it replaces, so that it counts towards no limit (RFC 9773, section 5). */
async function newOrder(
  { client, directory, takeToken }: CompleteOrderOptions,
  { hostname, former }: IssuanceRequest,
): Promise<Order> {
  const replaces = former?.directory === directory ? former.ariId : null;
  if (replaces !== null) {
    try {
      return await client.newOrder(hostname, { replaces });
    } catch (error) {
      if (!(error instanceof AcmeError) || !CANNOT_REPLACE.includes(error.type ?? '')) throw error;
    }
  }
  await takeToken();
  return client.newOrder(hostname);
}

/**
 * The types of errors after which we order without `replaces`. They say that the named certificate was replaced already or is unknown, or
 * that the authority fails.
 */
const CANNOT_REPLACE = ['alreadyReplaced', 'serverInternal', 'malformed', 'unauthorized', 'conflict'];

/** Proves that the hostname leads to us, unless the authority still has a proof. A failed authorization ends the order. */
async function authorize(
  options: CompleteOrderOptions,
  request: IssuanceRequest,
  url: string,
): Promise<void> {
  const found = await options.client.authorization(url);
  const settled = found.status === 'pending' ? await answerChallenge(options, request, found) : found;
  if (settled.status === 'valid') return;
  await request.saveOrder(undefined);
  throw validationFailed(request.hostname, options.addresses, settled);
}

/**
 * Answers the challenge, and returns the authorization that the authority has decided. Without an http-01 challenge, returns the given
 * authorization.
 */
async function answerChallenge(
  { client, prove }: CompleteOrderOptions,
  { hostname, signal }: IssuanceRequest,
  authorization: Authorization,
): Promise<Authorization> {
  const { challenge, url } = authorization;
  if (challenge === undefined) return authorization;
  const keyAuthorization = await client.keyAuthorization(challenge.token);
  return prove({ hostname, token: challenge.token, keyAuthorization }, async () => {
    // If an earlier attempt was interrupted, the authority may be checking already.
    if (challenge.status === 'pending') await client.respond(challenge.url);
    return client.settledAuthorization(url, { deadlineMs: DECISION_MS, signal });
  });
}

function validationFailed(
  hostname: string,
  addresses: readonly string[],
  { challenge }: Authorization,
): AcmeError | IssuanceError {
  const { type, detail: said = '' } = challenge?.error ?? {};
  const detail = said || 'it gave no reason';
  const fault = ownFault('verify the hostname', challenge?.error);
  if (fault !== undefined) return fault;
  // The authority came to an address of ours, and got no answer or a wrong one. Something of ours is in the way, such as a firewall or a
  // balancer. Our own check does not notice this if its request comes from behind the firewall.
  const asked = addresses.find((address) => said.includes(address));
  if (asked !== undefined) {
    const message = `The certificate authority could not verify ${hostname} by hosting at ${asked}: ${detail}`;
    return new IssuanceError('unavailable', message, { retryAfterMs: OPERATOR_MS });
  }
  return new IssuanceError(
    type === 'caa' ? 'refused' : 'failed',
    `The certificate authority could not verify ${hostname}: ${detail}`,
  );
}

async function orderFailed(
  { hostname, saveOrder }: IssuanceRequest,
  order: Order,
): Promise<AcmeError | IssuanceError> {
  await saveOrder(undefined);
  const detail = order.error?.detail || `the order is ${order.status}`;
  return (
    ownFault('complete an order', order.error) ??
    new IssuanceError('failed', `The certificate authority did not issue for ${hostname}: ${detail}`)
  );
}

/**
 * Returns the error for a fault or a limit of the authority itself, which is no failure of the hostname. Let's Encrypt ends an
 * authorization with such a fault when a part of it is down. Returns undefined for all other problems.
 */
function ownFault(attempt: string, problem: AcmeProblem | undefined): AcmeError | undefined {
  if (problem?.type === 'rateLimited') return new AcmeError(attempt, { ...problem, kind: 'rateLimited' });
  if (problem?.type !== 'serverInternal') return undefined;
  return new AcmeError(attempt, { ...problem, kind: 'unavailable', isUndecided: true });
}
