/** Webhooks as their owners and receivers see them (spec 6, spec D47, spec D48). */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { startCollector } from '../support/start-collector.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { createCustomer, uniqueHostname } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const receiver = await startWebhookReceiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const collector = await startCollector();
afterAll(() => collector[Symbol.asyncDispose]());
const waypost = await useOwnWaypost({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
  OUTBOUND_CONTACT: 'https://example.net/bots',
  WEBHOOK_SECRET: 'a secret of the service tests that has 32 characters',
});
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];
const ok = receiver.answer;

beforeEach(async () => {
  for (const { id } of (await customer.call('GET /api/webhooks')).json.data) {
    await customer.call(`DELETE /api/webhooks/${id}`);
  }
  receiver.received.length = 0;
  receiver.answer = ok;
});

async function create(body: object = {}) {
  const { status, json } = await customer.call('POST /api/webhooks', {
    body: { url: `${receiver.url}/hook`, ...body },
  });
  expect(status).toBe(201);
  return json.data;
}
const arrived = (count: number) =>
  vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(count), SOON);
/** Returns the events that the receiver got, in the order of the types. Throws unless the signatures are right. */
const verified = (secret: string) =>
  receiver.received.map(({ body, headers }) =>
    new Webhook(secret).verify(body, headers as Record<string, string>),
  ) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  }[];
const refusalOf = async (route: string, body?: object, by = customer) => {
  const { status, json } = await by.call(route, body && { body });
  return { status, field: json.error?.details?.field };
};

test('spec D47 a webhook is created, listed, read, changed and deleted; only its creation shows the secret', async () => {
  const created = await create({ description: 'staging', events: ['upload.refused', 'upload.published'] });
  const { secret, ...webhook } = created;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toEqual({
    ...{ id: expect.stringMatching(/^webhook_\w{22}$/), url: `${receiver.url}/hook`, description: 'staging' },
    ...{
      format: 'json',
      events: ['upload.refused', 'upload.published'],
      enabled: true,
      disabledAt: null,
      disabledReason: null,
    },
    ...{ formerSecretUntil: null, createdAt: TIME },
  });
  const path = `/api/webhooks/${webhook.id}`;
  expect((await customer.call(`GET ${path}`)).json.data).toEqual(webhook);
  const second = await create();
  const { json } = await customer.call('GET /api/webhooks?limit=1');
  expect(json.data).toMatchObject([{ id: second.id, events: null }]);
  const next = await customer.call(`GET /api/webhooks?limit=1&cursor=${json.pagination.cursor}`);
  expect(next.json).toMatchObject({ data: [webhook], pagination: { hasMore: false } });

  const changes = {
    format: 'slack',
    description: '',
    events: null,
    enabled: false,
    url: `${receiver.url}/other`,
  };
  expect((await customer.call(`PATCH ${path}`, { body: changes })).json.data).toEqual({
    ...{ ...webhook, ...changes, disabledAt: TIME, disabledReason: 'Its owner has switched it off.' },
  });
  expect((await customer.call(`DELETE ${path}`)).json.data).toEqual({ id: webhook.id, deleted: true });
  expect(await refusalOf(`GET ${path}`)).toMatchObject({ status: 404 });
});

test('spec D47 what is wrong is refused, by its field', async () => {
  const url = `${receiver.url}/hook`;
  const post = (body: object) => refusalOf('POST /api/webhooks', body);
  expect(await post({})).toEqual({ status: 422, field: 'url' });
  for (const wrong of [
    ...[
      '',
      'hook',
      'ftp://example.com/',
      'http://www.example.com/',
      'https://a:b@www.example.com/',
      'https://www.example.com/#a',
    ],
    ...[
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://0x0a000001/',
      `https://www.example.com/${'a'.repeat(2048)}`,
      7,
    ],
  ]) {
    expect(await post({ url: wrong }), String(wrong)).toEqual({ status: 422, field: 'url' });
  }
  for (const events of [[], ['upload.unknown'], 'upload.published', ['webhook.test'], [7]]) {
    expect(await post({ url, events }), String(events)).toEqual({ status: 422, field: 'events' });
  }
  expect(await post({ url, format: 'email' })).toEqual({ status: 422, field: 'format' });
  expect(await post({ url, description: 'a'.repeat(257) })).toEqual({ status: 422, field: 'description' });
  expect(await post({ url, description: 'a\0' })).toEqual({ status: 422, field: 'description' });
  expect(await post({ url, secret: 'mine' })).toEqual({ status: 422, field: 'secret' });
  expect(await refusalOf('GET /api/webhooks?page=2')).toEqual({ status: 422, field: 'page' });
  expect(await refusalOf('PUT /api/webhooks')).toMatchObject({ status: 405 });
});

test("spec D47 another account's webhook is out of reach", async () => {
  const { id } = await create();
  for (const [method, end] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/deliveries/event_1/retry'],
  ]) {
    const body = method === 'PATCH' ? {} : undefined;
    expect(await refusalOf(`${method} /api/webhooks/${id}${end}`, body, other)).toMatchObject({
      status: 403,
    });
    expect(await refusalOf(`${method} /api/webhooks/webhook_none${end}`, body)).toMatchObject({
      status: 404,
    });
  }
  expect((await other.call('GET /api/webhooks')).json.data).toEqual([]);
});

test('spec D47 an account has at most 20', async () => {
  for (let i = 0; i < 20; i++) await create();
  expect(await refusalOf('POST /api/webhooks', { url: `${receiver.url}/hook` })).toMatchObject({
    status: 409,
  });
});

test('spec 6 uploads, refusals and domains arrive signed, with who asks in the User-Agent', async () => {
  const { secret } = await create();
  const { id: domainId, hostname: domain } = await customer.verifiedDomain(uniqueHostname('test.localhost'));
  await arrived(1);
  const published = await customer.publish({ domain, urls: entries(3) });
  const refused = await customer.upload({ domain, sitemapName: 'news', urls: [{ loc: 'nonsense' }] });
  expect(refused.status).toBe(422);
  await vi.waitFor(() => expect(new Set(verified(secret).map(({ type }) => type)).size).toBe(4), SOON);
  const events = new Map(verified(secret).map((event) => [event.type, event]));
  expect(events.get('domain.verified')).toEqual({
    type: 'domain.verified',
    timestamp: TIME,
    data: { domainId, domain },
  });
  expect(events.get('domain.active')!.data).toEqual({ domainId, domain });
  expect(events.get('upload.published')!.data).toEqual({
    ...{ domainId, domain, sitemapName: 'default', uploadId: expect.stringMatching(/^upload_/) },
    ...{ generation: 1, kind: 'upload', urlCount: 3, fileCount: 1, filesChanged: 1 },
    ...{ sitemapUrl: published.sitemapUrl, publishedAt: TIME },
  });
  const { code, message, details } = refused.json.error;
  expect(events.get('upload.refused')!.data).toEqual({
    ...{
      domainId,
      domain,
      sitemapName: 'news',
      uploadId: expect.stringMatching(/^upload_/),
      code,
      message,
      details,
    },
  });
  for (const { headers } of receiver.received) {
    expect(headers['user-agent']).toMatch(/^Waypost\/\d+\.\d+\.\d+ \(\+https:\/\/example\.net\/bots\)$/);
  }
});

test('events of uploads that are published together each go on with the trace of their own request', async () => {
  const { secret } = await create({ events: ['upload.published'] });
  const { hostname: domain } = await customer.verifiedDomain();
  const traces = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(32).replaceAll('0', 'f'));
  await Promise.all(
    traces.map(async (trace, n) => {
      const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
      const body = { domain, sitemapName: `s${n}`, urls: entries(2) };
      expect((await customer.upload(body, { headers })).status).toBe(200);
    }),
  );
  await customer.publish({ domain, sitemapName: 'untold', urls: entries(2) });
  await arrived(traces.length + 1);
  const names = verified(secret).map(({ data }) => data.sitemapName);
  const traceparents = receiver.received.map(({ headers }) => String(headers.traceparent).split('-'));
  const found = new Map(names.map((name, i) => [name, traceparents[i]!]));
  for (const [n, trace] of traces.entries()) expect(found.get(`s${n}`)![1]).toBe(trace);
  expect(found.get('untold')![1]).toMatch(/^[0-9a-f]{32}$/);
  // Each delivery is a span of its own.
  expect(new Set(traceparents.map(([, , span]) => span)).size).toBe(traces.length + 1);
});

test('an upload is a trace of spans, which the collector gets', async () => {
  const { hostname: domain } = await customer.verifiedDomain();
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const urls = entries(100);
  const untold = { traceparent: `00-${trace.replace('4b', '00')}-${span}-00` };
  expect((await customer.upload({ domain, urls }, { headers: untold })).status).toBe(200);
  const headers = { traceparent: `00-${trace}-${span}-01`, tracestate: 'rojo=1, congo=2' };
  expect((await customer.upload({ domain, sitemapName: 'b', urls }, { headers })).status).toBe(200);
  const found = await vi.waitFor(() => {
    const ofTrace = collector.spans().filter(({ traceId }) => traceId === trace);
    const byName = new Map(ofTrace.map((one) => [one.name, one]));
    expect([...byName.keys()]).toEqual(
      expect.arrayContaining(['POST /api/sitemap/generate', 'upload', 'publish', 'store putIfUnchanged']),
    );
    return byName;
  }, SOON);
  const request = found.get('POST /api/sitemap/generate')!;
  expect(request).toMatchObject({ parentSpanId: span, kind: 2, status: {} });
  for (const one of found.values()) expect(one).toMatchObject({ traceState: 'rojo=1,congo=2' });
  expect(request.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: '200' } });
  expect(found.get('upload')).toMatchObject({ parentSpanId: request.spanId });
  expect(found.get('publish')).toMatchObject({ parentSpanId: found.get('upload')!.spanId });
  expect(collector.requests[0]!.headers).toMatchObject({ authorization: 'Bearer abc' });
  expect(collector.spans().some(({ traceId }) => traceId === trace.replace('4b', '00'))).toBe(false);
});

test('spec D48 a delivery that failed comes again; its owner sees it, and has it sent once more', async () => {
  const { id, secret } = await create();
  let fails = 1;
  receiver.answer = (request, response, incoming) => {
    if (fails-- > 0) response.writeHead(500).end();
    else ok(request, response, incoming);
  };
  const sent = await customer.call(`POST /api/webhooks/${id}/test`);
  const { eventId } = sent.json.data;
  await arrived(2);
  expect(verified(secret).map(({ type, data }) => ({ type, data }))).toEqual(
    Array(2).fill({ type: 'webhook.test', data: { webhookId: id } }),
  );
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
  const read = async () => (await customer.call(`GET /api/webhooks/${id}/deliveries`)).json.data;
  await vi.waitFor(async () => expect(await read()).toMatchObject([{ status: 'delivered' }]), SOON);
  expect(await read()).toEqual([
    {
      ...{
        eventId,
        type: 'webhook.test',
        status: 'delivered',
        attempts: 2,
        lastStatus: 204,
        lastError: null,
      },
      ...{ lastAttemptAt: TIME, nextAttemptAt: null, deliveredAt: TIME, createdAt: TIME },
    },
  ]);
  const again = await customer.call(`POST /api/webhooks/${id}/deliveries/${eventId}/retry`);
  expect(again.json.data).toMatchObject({ eventId, status: 'waiting', nextAttemptAt: TIME });
  await arrived(3);
  expect(await refusalOf(`POST /api/webhooks/${id}/deliveries/event_none/retry`)).toMatchObject({
    status: 404,
  });
});

test('spec D48 after a rotation both secrets verify', async () => {
  const { id, secret } = await create();
  const { json } = await customer.call(`POST /api/webhooks/${id}/rotate`);
  expect(json.data).toMatchObject({ id, formerSecretUntil: TIME });
  expect(json.data.secret).not.toBe(secret);
  await customer.call(`POST /api/webhooks/${id}/test`);
  await arrived(1);
  expect(verified(secret)).toEqual(verified(json.data.secret));
});

test('spec D48 410 disables a webhook, and a test of a disabled one is refused', async () => {
  const { id } = await create();
  receiver.answer = (_request, response) => void response.writeHead(410).end();
  await customer.call(`POST /api/webhooks/${id}/test`);
  await vi.waitFor(async () => {
    const { json } = await customer.call(`GET /api/webhooks/${id}`);
    expect(json.data).toMatchObject({ enabled: false, disabledReason: 'The receiver answered 410 Gone.' });
  }, SOON);
  expect(await refusalOf(`POST /api/webhooks/${id}/test`)).toMatchObject({ status: 409 });
});

test('operators list webhooks and deliveries, send again, and disable', async () => {
  const { id } = await create({ description: 'staging' });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(waypost.settings, 'webhook', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const { eventId } = (await customer.call(`POST /api/webhooks/${id}/test`)).json.data;
  await arrived(1);
  const listed = JSON.parse(await run('list', '--account', customer.accountId, '--json'));
  expect(listed).toMatchObject([
    { id, accountId: customer.accountId, description: 'staging', disabledAt: null },
  ]);
  expect(JSON.stringify(listed)).not.toContain('whsec_');
  expect(await run('list')).toContain(id);
  expect(JSON.parse(await run('deliveries', id, '--json'))).toMatchObject([
    { eventId, type: 'webhook.test' },
  ]);
  expect(await run('deliveries', id)).toContain('webhook.test');
  expect(await run('retry', id, eventId)).toContain(eventId);
  await arrived(2);
  expect(await run('retry', id)).toContain('0');
  expect(await run('disable', id)).toContain('disabled');
  expect((await customer.call(`GET /api/webhooks/${id}`)).json.data).toMatchObject({
    enabled: false,
    disabledReason: 'The operator of this service has disabled it.',
  });
  expect(await runCli(waypost.settings, 'webhook', 'retry', id, 'event_none')).toMatchObject({ code: 78 });
});
