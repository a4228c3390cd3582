/**
 * An account with a key, and the requests of its owner. Checks on every answer what the API promises for all: JSON, the
 * envelope, an X-Request-Id, and what the API's description says.
 */
import { randomBytes } from 'node:crypto';
import type { Agent, OutgoingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { Judge, readDescription } from '../../support/api-description.ts';
import { borrow } from '../../support/borrow.ts';
import { uploadDocument } from './entries.ts';
import { type Body, type Received, send } from './send.ts';
import { isOnS3 } from './store.ts';
import type { Addresses } from './waypost.ts';

export interface ApiAnswer extends Received {
  /** The whole envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
}

export interface ApiRequest {
  /** A plain object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: OutgoingHttpHeaders;
  readonly agent?: Agent;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Sends a request and checks the envelope of the answer. */
export async function callApi(
  { apiUrl }: Pick<Addresses, 'apiUrl'>,
  route: string,
  { body, headers = {}, agent }: ApiRequest = {},
): Promise<ApiAnswer> {
  const [method = '', path = ''] = route.split(' ');
  const content = body === undefined || isBody(body) ? body : JSON.stringify(body);
  const type = content === undefined ? {} : JSON_TYPE;
  const received = await send(apiUrl + path, {
    method,
    headers: { ...type, ...headers },
    body: content,
    ...(agent && { agent }),
  });
  const json = checkEnvelope(received);
  expect(received.headers['x-content-type-options']).toBe('nosniff');
  checkDescribed(method, path, received.status, json);
  return { ...received, json };
}

const judge = new Judge(readDescription());

/** Checks that the description has each member of the answer. */
function checkDescribed(method: string, path: string, status: number, json: unknown): void {
  const problems = judge.answerProblems(method, path, status, 'application/json', json);
  expect({ method, path, status, problems, json }).toEqual({ method, path, status, problems: [], json });
}

export function checkEnvelope({ status, headers, body }: Pick<Received, 'status' | 'headers' | 'body'>) {
  expect(headers['x-request-id']).toMatch(/^[\w-]{16,}$/);
  expect(headers['content-type']).toMatch(/^application\/json\b/);
  const json = JSON.parse(body.toString());
  if (status < 400) expect(json).toMatchObject({ success: true, data: expect.anything() });
  else {
    const error = { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/./) };
    expect(json).toMatchObject({ success: false, error });
    expect(Object.keys(json).sort()).toEqual(['error', 'success']);
  }
  return json;
}

function isBody(body: unknown): body is Body {
  if (typeof body === 'string' || body instanceof Uint8Array) return true;
  return (
    typeof body === 'object' && body !== null && (Symbol.iterator in body || Symbol.asyncIterator in body)
  );
}

export interface Domain {
  readonly id: string;
  readonly hostname: string;
  readonly cnameTarget: string;
}

export interface Customer {
  readonly waypost: Addresses;
  readonly accountId: string;
  readonly key: string;
  /** `route`: as in GET /api/domains. */
  call(route: string, request?: ApiRequest): Promise<ApiAnswer>;
  upload(body: unknown, request?: Omit<ApiRequest, 'body'>): Promise<ApiAnswer>;
  /** An upload that must succeed; returns its `data`. */
  publish(body: unknown): Promise<ApiAnswer['json']>;
  createDomain(hostname?: string): Promise<Domain>;
  /** A domain that hosting serves. */
  verifiedDomain(hostname?: string): Promise<Domain>;
}

export async function createCustomer(waypost: Addresses, plan = 'enterprise'): Promise<Customer> {
  const { accountId, key } = await borrow('customer', { dataDir: waypost.dataDir, plan });
  return customerWith(waypost, accountId, key);
}

export function customerWith(waypost: Addresses, accountId: string, key: string): Customer {
  const call: Customer['call'] = (route, request = {}) =>
    callApi(waypost, route, { ...request, headers: { 'X-API-Key': key, ...request.headers } });
  const upload: Customer['upload'] = (body, request) =>
    call('POST /api/sitemap/generate', { ...request, body });
  const createDomain = async (hostname = uniqueHostname(waypost.dns ? VERIFIABLE : 'localhost')) => {
    const answer = await call('POST /api/domains', { body: { hostname } });
    expect(answer).toMatchObject({ status: 201 });
    const domain: Domain = answer.json.data;
    waypost.dns?.answers.set(domain.hostname, { cname: domain.cnameTarget });
    return domain;
  };
  return {
    waypost,
    accountId,
    key,
    call,
    upload,
    createDomain,
    publish: async (body) => {
      const answer = await upload(body);
      expect(answer.json).toMatchObject({ success: true });
      expect(answer.status).toBe(200);
      return answer.json.data;
    },
    verifiedDomain: async (hostname) => {
      const domain = await createDomain(hostname);
      const answer = await call(`POST /api/domains/${domain.id}/verify`);
      expect(answer.json.data.status).toBe('verified');
      return domain;
    },
  };
}

/**
 * An upload that has sent some entries and then waits. `ended` resolves to its answer, or to the error that ended it.
 */
export async function beginUpload(
  { upload }: Customer,
  hostname: string,
): Promise<{ readonly ended: Promise<ApiAnswer | Error> }> {
  const begun = Promise.withResolvers<void>();
  async function* endless() {
    yield* Array.from(uploadDocument({ domain: hostname }, 3000)).slice(0, -1);
    begun.resolve();
    await new Promise(() => {});
  }
  const ended = upload(endless()).catch((error: Error) => error);
  await begun.promise;
  return { ended };
}

/** `createDomain` makes DNS answer for names below it, so that they verify. */
const VERIFIABLE = 'customer.example.com';

/** By default a name that verifies at once: on all in one, a name below .localhost. */
export function uniqueHostname(below = isOnS3 ? VERIFIABLE : 'localhost'): string {
  return `maps-${randomBytes(8).toString('hex')}.${below}`;
}

/** The last state of a verified domain. On S3 there are separate processes, without a certificate authority. */
export const SETTLED = isOnS3
  ? { status: 'verified', sslStatus: 'provisioning' }
  : { status: 'active', sslStatus: 'active' };
