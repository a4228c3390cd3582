/**
 * Spec D65: requests that are made of the API's description. The answer to each of them must be described, which `callApi`
 * checks; one with a fault is refused, and the answer names the field.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type DescribedOperation, readDescription, type Schema } from '../support/api-description.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { createCustomer } from './support/customer.ts';
import { type Broken, faultsOf, type Resolve, validValues } from './support/described-values.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const RECEIVER = 'https://127.0.0.1:9/';
const waypost = await useOwnWaypost({
  PLANS: '{"enterprise":{"requestsPerMinute":1000000,"domains":100000}}',
  // Without it every submission is refused, whatever other requests have switched on.
  INDEXNOW_ENDPOINT: '',
  WEBHOOK_SECRET: 'a secret of the service tests that has 32 characters',
});
const customer = await createCustomer(waypost);
const { id: domainId, hostname } = await customer.verifiedDomain();
const published = await customer.publish({ domain: hostname, urls: [{ loc: 'https://www.example.com/' }] });
const created = await customer.call('POST /api/webhooks', {
  body: { url: RECEIVER, events: ['domain.failed'] },
});
const webhookId: string = created.json.data.id;
const session = await customer.call('POST /api/upload-sessions', { body: { domain: hostname } });

const RUNS = Math.max(5, Math.ceil(PROPERTY_RUNS / 20));
const JSON_TYPE = 'application/json';

const { paths, components } = readDescription();
const resolve: Resolve = (schema) => {
  const name = typeof schema.$ref === 'string' && schema.$ref.split('/').at(-1)!;
  return name ? { ...components.schemas[name] } : schema;
};

/** The operations that take a key. */
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security === undefined)
    .map(([method, operation]): [string, string, DescribedOperation] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
);

const KNOWN: Readonly<Record<string, string>> = {
  '/api/domains/{id}': domainId,
  '/api/upload-sessions/{id}': session.json.data.id,
  '/api/uploads/{id}': String(published.uploadId),
  '/api/webhooks/{id}': webhookId,
};

/** Nothing that others need is deleted. */
function addressOf(method: string, path: string, id: string): string {
  const [start = ''] = /^\/api\/[\w-]+\/\{id\}/.exec(path) ?? [];
  const known = method === 'DELETE' ? id : (KNOWN[start] ?? id);
  return path
    .replace('{id}', known)
    .replace('{part}', '1')
    .replace('{name}', 'default')
    .replace('{event}', encodeURIComponent(id));
}

/** Gives a body a hostname of the account, and no foreign address. Valid bodies would have both. */
function atHome(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return {
    ...body,
    ...('domain' in body && { domain: hostname }),
    ...('url' in body && { url: RECEIVER }),
    ...('sources' in body && { sources: [RECEIVER] }),
    ...('load' in body && { load: atHome(body.load) }),
  };
}

function queryOf({ parameters }: DescribedOperation): fc.Arbitrary<string> {
  const values = parameters
    .filter(({ in: place, name }) => place === 'query' && !['domain', 'form'].includes(name))
    .map(({ name, schema }) => [name, validValues(schema, resolve)] as const);
  const some = fc.record(Object.fromEntries(values), { requiredKeys: [], noNullPrototype: true });
  // Most members of an upload must be either here or in the body.
  const query = fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: some, weight: 1 });
  return query.map((given) => new URLSearchParams(given as Record<string, string>).toString());
}

function bodyOf({ requestBody }: DescribedOperation): fc.Arbitrary<unknown> {
  const json = requestBody?.content[JSON_TYPE];
  if (json === undefined) return fc.constant(undefined);
  const body = validValues(json.schema, resolve).map(atHome);
  return fc.oneof(
    body,
    body.map((given) => quiet(resolve(json.schema), given)),
  );
}

/** Operations that are refused, because their subject does not exist or is off. */
const REFUSED = [
  'deleteDomain',
  'deleteSitemap',
  'deleteWebhook',
  'retryDelivery',
  'verifyIndexNowHost',
  'listRejects',
  'getUploadChanges',
  'publishUpload',
  'discardUpload',
  'cancelLoad',
  'abortUploadSession',
  'commitUploadSession',
  'deleteSchedule',
  'deleteScheduleHook',
  'tryConnection',
];

/** Examples without a member that this service cannot switch on. */
const EXAMPLES: Readonly<Record<string, unknown>> = { changeDomain: {} };
/** The query with nothing but the parameters that are required. */
function leastQuery({ parameters }: DescribedOperation): string {
  const required = parameters.filter(({ in: place, required }) => place === 'query' && required);
  return new URLSearchParams(
    required.map(({ name, example = '' }): [string, string] => [name, example]),
  ).toString();
}

const anId = fc.stringMatching(/^[\w~!*-]{1,40}$/);

// A request may have disabled it.
beforeEach(async () => {
  await customer.call(`PATCH /api/webhooks/${webhookId}`, { body: { enabled: true } });
});

test.each(operations)(
  'spec D65 %s %s answers valid requests as described',
  async (method, path, described) => {
    const { operationId, requestBody } = described;
    const statuses = new Set<number>();
    const answers = async (id: string, query: string, body: unknown) => {
      const address = `${addressOf(method, path, id)}?${query}`;
      const headers = method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {};
      const { status } = await customer.call(`${method} ${address}`, { headers, body });
      statuses.add(status);
      expect([500, 401, 405, 408, 413]).not.toContain(status);
    };
    const example = EXAMPLES[operationId] ?? atHome(requestBody?.content[JSON_TYPE]?.example);
    await fc.assert(fc.asyncProperty(anId, queryOf(described), bodyOf(described), answers), {
      numRuns: RUNS,
      // With this example, at least one request succeeds.
      examples: [['x', leastQuery(described), example]],
    });
    const succeeds = [...statuses].some((status) => status < 300);
    // An invented generation may be one that is kept.
    if (operationId === 'rollBackSitemap') return;
    expect({ statuses, succeeds }).toEqual({ statuses, succeeds: !REFUSED.includes(operationId) });
  },
);

const withJson = operations.flatMap(([method, path, { operationId, requestBody }]) => {
  const json = requestBody?.content[JSON_TYPE];
  // A preview shows faults and refuses none.
  return json === undefined || operationId === 'previewUpload' ? [] : [[method, path, json.schema] as const];
});

describe.each(withJson)('spec D65 %s %s', (method, path, schema) => {
  test('names the field of a single fault', async () => {
    const property = fc.asyncProperty(fc.gen(), async (gen) => {
      const body = quiet(resolve(schema), atHome(gen(validValues, schema, resolve)));
      const faults = faultsOf(schema, body, resolve);
      const fault = gen(fc.constantFrom<Broken[]>, ...faults);
      await refuses(method, path, fault);
    });
    await fc.assert(property, { numRuns: RUNS * 5 });
  });
});

async function refuses(method: string, path: string, { field, what, value }: Broken): Promise<void> {
  const { status, json } = await customer.call(`${method} ${addressOf(method, path, 'x')}`, { body: value });
  const named = String(json.error?.details?.field ?? '');
  const said = { field, what, status, named, message: json.error?.message };
  // What is no object at all is no document: it has no field.
  if (field === '') expect(said).toMatchObject({ status: 400 });
  else {
    expect(said).toMatchObject({ status: 422, named: expect.stringMatching(/./) });
    expect({ ...said, isNamed: field.startsWith(named) }).toEqual({ ...said, isNamed: true });
    // The words of the library that judges values are for programmers.
    expect(said.message).not.toMatch(/Invalid input|expected \w+, received/);
  }
}

/** Leaves out members whose values can be at fault in a valid body: a count that differs, entries that are skipped. */
function quiet(schema: Schema, body: unknown): unknown {
  const required = (schema.required as string[] | undefined) ?? [];
  const members = Object.entries(body as object).filter(
    ([name]) => required.includes(name) || name === 'urls',
  );
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      name === 'load' ? quiet(resolve(properties[name]!), value) : value,
    ]),
  );
}

test('spec D65 any method with any body of any type gets an answer in the envelope', async () => {
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
  const types = fc.constantFrom(
    JSON_TYPE,
    'text/plain',
    'text/csv',
    'application/xml',
    'multipart/form-data',
    'x',
    '',
  );
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  const request = fc.record({ id: anId, method: methods, type: types, body: bodies });
  const property = fc.asyncProperty(request, fc.constantFrom(...operations), async (given, [, path]) => {
    const { id, method, type, body } = given;
    if (method === 'HEAD') return;
    const address = addressOf('DELETE', path, id);
    const { status } = await customer.call(`${method} ${address}`, {
      body: method === 'GET' ? undefined : body,
      // Node sends none with DELETE and OPTIONS.
      headers: { 'Content-Type': type, ...(method !== 'GET' && { 'Content-Length': body.length }) },
    });
    expect([500, 503]).not.toContain(status);
  });
  await fc.assert(property, { numRuns: RUNS * 10 });
});
