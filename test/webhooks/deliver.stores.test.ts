import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { deliver } from '../../src/features/webhooks/deliver.ts';
import { retryDelivery } from '../../src/features/webhooks/delivery-store.ts';
import { emitEvent } from '../../src/features/webhooks/emit-event.ts';
import { changeEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import { CHAT_FORMATS } from '../../src/features/webhooks/formats.ts';
import { takeDeliveries } from '../../src/features/webhooks/take-deliveries.ts';
import { beginTrace, withTrace } from '../../src/platform/trace/trace-context.ts';
import { SOON } from '../support/soon.ts';
import type { ReceivedEvent } from '../support/webhook-receiver.ts';
import { CHAT_SCHEMAS } from './chat-schemas.ts';
import { createWebhookFixture } from './webhook-fixture.ts';

const hooks = await createWebhookFixture();
const { database, receiver, outcomes, options } = hooks;
const ok = receiver.answer;

beforeEach(async () => {
  await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
  receiver.received.length = 0;
  receiver.answer = ok;
  outcomes.length = 0;
});

test('an event arrives signed, with its type, its time and its data', async () => {
  const endpoint = await hooks.addEndpoint();
  await hooks.emit();
  expect(await hooks.deliverDue()).toBe(1);
  const [event, ...others] = receiver.received;
  expect(others).toEqual([]);
  expect(event!.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(event!.body)),
    'webhook-id': expect.stringMatching(/^event_\w{22}$/),
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'user-agent': 'Waypost',
  });
  expect(hooks.verify(hooks.secretOf(endpoint), event!)).toEqual({
    type: 'domain.verified',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    data: { domainId: 'domain_1', domain: 'maps.example.com' },
  });
  expect(await hooks.deliveries(endpoint)).toMatchObject([
    {
      type: 'domain.verified',
      attempts: 1,
      nextAttemptAt: null,
      deliveredAt: expect.any(Date),
      lastStatus: 204,
      lastError: null,
    },
  ]);
  expect(outcomes).toEqual(['delivered']);
  expect(await hooks.deliverDue()).toBe(0);
});

test('a delivery goes on with the trace of the request that caused its event', async () => {
  await hooks.addEndpoint();
  const trace = beginTrace(undefined, true);
  await withTrace(trace, () => hooks.emit());
  await hooks.emit();
  expect(await hooks.deliverDue()).toBe(1);
  expect(await hooks.deliverDue()).toBe(1);
  const [caused, other] = receiver.received;
  const { traceparent } = caused!.headers;
  expect(traceparent).toMatch(new RegExp(`^00-${trace.traceId}-[0-9a-f]{16}-01$`));
  expect(traceparent).not.toContain(trace.spanId);
  expect(other!.headers).not.toHaveProperty('traceparent');
});

test.each(CHAT_FORMATS)(
  'a chat that takes %s gets a message for people in place of the event',
  async (format) => {
    const endpoint = await hooks.addEndpoint({ format });
    await hooks.emit(hooks.account, '<!channel>.example');
    expect(await hooks.deliverDue()).toBe(1);
    const [{ body, headers }, ...others] = receiver.received as [ReceivedEvent, ...unknown[]];
    expect(others).toEqual([]);
    expect(CHAT_SCHEMAS[format].safeParse(JSON.parse(body)).error).toBeUndefined();
    expect(body).toContain('https://waypost.example.net/dashboard/domains/domain_1');
    expect(headers['content-type']).toBe('application/json');
    hooks.verify(hooks.secretOf(endpoint), receiver.received[0]!);
    expect(await hooks.deliverDue()).toBe(0);
  },
);

test('an event that only a newer version knows holds up no other event of a chat', async () => {
  await hooks.addEndpoint({ format: 'slack' });
  await hooks.emit();
  await database.query(`UPDATE webhook_events SET type = 'domain.sold', data = '{"to":"x"}'`);
  await hooks.emit();
  while ((await hooks.deliverDue()) > 0);
  expect(receiver.received.map(({ body }) => JSON.parse(body).blocks[0].text.text)).toEqual([
    'domain.sold',
    expect.stringContaining('The DNS of'),
  ]);
});

test('the secret of another endpoint, or of another version, does not verify it', async () => {
  const [endpoint, other] = [
    await hooks.addEndpoint(),
    await hooks.addEndpoint({ eventTypes: ['upload.published'] }),
  ];
  await hooks.emit();
  await hooks.deliverDue();
  const [event] = receiver.received;
  for (const secret of [hooks.secretOf(other), hooks.secretOf(endpoint, 2)]) {
    expect(() => hooks.verify(secret, event!)).toThrow('No matching signature');
  }
  expect(() => hooks.verify(hooks.secretOf(endpoint), { ...event!, body: `${event!.body} ` })).toThrow();
});

test('text that jsonb refuses arrives, with U+FFFD in place of half of a character', async () => {
  const endpoint = await hooks.addEndpoint();
  const domain = 'a\0b\ud800c\u2028"\\é😀';
  await emitEvent(database, hooks.account, 'domain.verified', { domainId: 'domain_1', domain });
  await hooks.deliverDue();
  expect(hooks.verify(hooks.secretOf(endpoint), receiver.received[0]!).data.domain).toBe(
    domain.toWellFormed(),
  );
});

test('an endpoint gets only the events that it has chosen, and only those of its account', async () => {
  const chosen = await hooks.addEndpoint({ eventTypes: ['domain.verified'] });
  await hooks.addEndpoint({ eventTypes: ['domain.failed'] });
  await hooks.emit();
  expect(await hooks.deliverDue()).toBe(1);
  expect(receiver.received.map(({ path }) => path)).toEqual([`/${chosen.id}`]);
});

test('without anybody who wants it, an event leaves nothing behind', async () => {
  await hooks.addEndpoint({ eventTypes: ['domain.failed'] });
  await hooks.emit();
  expect((await database.query('SELECT FROM webhook_events')).rowCount).toBe(0);
});

test('an event that fails comes again on the schedule, with the same id and body, and is given up in the end', async () => {
  const endpoint = await hooks.addEndpoint();
  receiver.answer = (_request, response) => void response.writeHead(500).end('down');
  await hooks.emit();
  const waits = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [i, seconds] of waits.entries()) {
    expect(await hooks.deliverDue()).toBe(1);
    const [delivery] = await hooks.deliveries(endpoint);
    expect(delivery).toMatchObject({
      attempts: i + 1,
      lastStatus: 500,
      lastError: 'The receiver answered 500.',
    });
    const waitsMs = delivery!.nextAttemptAt!.getTime() - delivery!.attemptedAt!.getTime();
    expect(waitsMs).toBe(seconds * 1000);
    await hooks.pass(seconds - 1);
    if (seconds > 60) expect(await hooks.deliverDue()).toBe(0);
    await hooks.pass(1);
  }
  expect(await hooks.deliverDue()).toBe(1);
  expect(outcomes).toEqual([...waits.map(() => 'failed'), 'given_up']);
  expect(await hooks.deliveries(endpoint)).toMatchObject([
    { attempts: 10, nextAttemptAt: null, deliveredAt: null },
  ]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(receiver.received).toHaveLength(10);
  for (const event of receiver.received) {
    expect(hooks.verify(hooks.secretOf(endpoint), event).data).toEqual(
      hooks.verify(hooks.secretOf(endpoint), receiver.received[0]!).data,
    );
  }
  await hooks.pass(30 * 86_400);
  expect(await hooks.deliverDue()).toBe(0);
});

describe('what counts as failed', () => {
  test.each([
    [
      '301',
      (response: ServerResponse) => response.writeHead(301, { Location: `${receiver.url}/elsewhere` }).end(),
      301,
      'The receiver answered 301. Redirects are not followed.',
    ],
    [
      '304',
      (response: ServerResponse) => response.writeHead(304).end(),
      304,
      'The receiver answered 304. Redirects are not followed.',
    ],
    ['400', (response: ServerResponse) => response.writeHead(400).end(), 400, 'The receiver answered 400.'],
    ['503', (response: ServerResponse) => response.writeHead(503).end(), 503, 'The receiver answered 503.'],
    [
      'a connection that is cut',
      (response: ServerResponse) => response.socket!.destroy(),
      null,
      'No answer: ECONNRESET.',
    ],
    [
      'an upgrade',
      (response: ServerResponse) =>
        response.socket!.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      null,
      'No answer: the connection ended early.',
    ],
    [
      'an answer that is none',
      (response: ServerResponse) => response.socket!.end('nonsense\r\n\r\n'),
      null,
      'No answer: HPE_INVALID_CONSTANT.',
    ],
    [
      'a status that is none',
      (response: ServerResponse) => response.socket!.end('HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n'),
      null,
      'No answer: the status 999 is none of HTTP.',
    ],
    ['silence', () => {}, null, 'No answer: no whole answer within 5 s.'],
  ])('%s', async (_, answer, lastStatus, lastError) => {
    const endpoint = await hooks.addEndpoint();
    receiver.answer = (_request, response) => void answer(response);
    await hooks.emit();
    await hooks.deliverDue({ ask: hooks.within(5000) });
    expect(await hooks.deliveries(endpoint)).toMatchObject([
      { attempts: 1, lastStatus, lastError, deliveredAt: null },
    ]);
    expect(receiver.received).toHaveLength(1);
    await vi.waitFor(async () => expect(await receiver.connections()).toBe(0), SOON);
  });

  test('an address that is not public, whatever it was at registration', async () => {
    const endpoint = await hooks.addEndpoint({ url: 'http://10.1.2.3/' });
    await hooks.emit();
    await hooks.deliverDue();
    const lastError = 'No answer: 10.1.2.3 has an address that is not public.';
    expect(await hooks.deliveries(endpoint)).toMatchObject([{ lastStatus: null, lastError }]);
  });
});

test.each([
  [
    'endless',
    (response: ServerResponse) => {
      response.writeHead(200);
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', send);
      send();
    },
  ],
  ['slow', (response: ServerResponse) => void response.writeHead(202).write('x')],
  ['huge', (response: ServerResponse) => void response.writeHead(200).end(Buffer.alloc(50_000_000))],
])('a body that is %s does not matter: the status counts, and the connection ends', async (_, answer) => {
  const endpoint = await hooks.addEndpoint();
  receiver.answer = (_request, response) => answer(response);
  await hooks.emit();
  await hooks.deliverDue();
  expect(await hooks.deliveries(endpoint)).toMatchObject([{ attempts: 1, deliveredAt: expect.any(Date) }]);
  await vi.waitFor(async () => expect(await receiver.connections()).toBe(0), SOON);
});

test('Retry-After puts the next attempt off', async () => {
  const endpoint = await hooks.addEndpoint();
  receiver.answer = (_request, response) => void response.writeHead(429, { 'Retry-After': '600' }).end();
  await hooks.emit();
  await hooks.deliverDue();
  const [delivery] = await hooks.deliveries(endpoint);
  expect(delivery!.nextAttemptAt!.getTime() - delivery!.attemptedAt!.getTime()).toBe(600_000);
});

test('410 disables the endpoint at once. What waits is delivered when its owner enables it again', async () => {
  const endpoint = await hooks.addEndpoint();
  receiver.answer = (_request, response) => void response.writeHead(410).end();
  await hooks.emit();
  await hooks.emit();
  expect(await hooks.deliverDue()).toBe(1);
  expect(outcomes).toEqual(['disabled']);
  expect(await hooks.read(endpoint)).toMatchObject({
    disabledAt: expect.any(Date),
    disabledWhy: 'The receiver answered 410 Gone.',
  });
  await hooks.emit();
  expect(await hooks.deliveries(endpoint)).toHaveLength(2);
  await hooks.pass(86_400);
  expect(await hooks.deliverDue()).toBe(0);
  receiver.answer = ok;
  await database.query('UPDATE webhook_endpoints SET disabled_at = NULL, disabled_why = NULL');
  while ((await hooks.deliverDue()) > 0);
  expect(outcomes).toEqual(['disabled', 'delivered', 'delivered']);
});

test('an event that its owner sends again during a failing attempt is due at once, also after the last attempt', async () => {
  const endpoint = await hooks.addEndpoint();
  await hooks.emit();
  await database.query('UPDATE webhook_deliveries SET attempts = 9');
  receiver.answer = (event, response) =>
    void retryDelivery(database, endpoint.id, String(event.headers['webhook-id'])).then(() =>
      response.writeHead(500).end(),
    );
  expect(await hooks.deliverDue()).toBe(1);
  receiver.answer = ok;
  expect(await hooks.deliverDue()).toBe(1);
  expect(await hooks.deliveries(endpoint)).toMatchObject([
    { attempts: 11, lastStatus: 204, nextAttemptAt: null },
  ]);
});

test('another address of a failing endpoint has five days of its own', async () => {
  const endpoint = await hooks.addEndpoint();
  receiver.answer = (_event, response) => void response.writeHead(500).end();
  await hooks.emit();
  await hooks.deliverDue();
  await hooks.pass(5 * 86_400);
  await changeEndpoint(database, endpoint.id, { url: `${receiver.url}/other` });
  await hooks.emit();
  await hooks.deliverDue();
  expect(receiver.received.at(-1)!.path).toBe('/other');
  expect(await hooks.read(endpoint)).toMatchObject({ disabledWhy: null });
});

test('an endpoint whose every delivery fails for five days is disabled; a success before that begins anew', async () => {
  const endpoint = await hooks.addEndpoint();
  const fail = (_request: unknown, response: ServerResponse) => void response.writeHead(500).end();
  const deliverAnother = async () => {
    await hooks.emit();
    while ((await hooks.deliverDue()) > 0);
  };
  receiver.answer = fail;
  await deliverAnother();
  await hooks.pass(4 * 86_400);
  receiver.answer = ok;
  await deliverAnother();
  receiver.answer = fail;
  await deliverAnother();
  await hooks.pass(4 * 86_400);
  await deliverAnother();
  expect((await hooks.read(endpoint)).disabledAt).toBeNull();
  await hooks.pass(86_401);
  await deliverAnother();
  await hooks.pass(3600);
  await deliverAnother();
  expect(await hooks.read(endpoint)).toMatchObject({ disabledWhy: 'Every delivery failed for 5 days.' });
  expect(hooks.log.lines.filter(({ message }) => message === 'webhook disabled')).not.toEqual([]);
});

test('where events are rare, the first failure of an event disables nothing, long after another one was given up', async () => {
  const endpoint = await hooks.addEndpoint();
  receiver.answer = (_event, response) => void response.writeHead(500).end();
  await hooks.emit();
  for (let attempt = 1; attempt <= 10; attempt++) {
    await hooks.deliverDue();
    await database.query('UPDATE webhook_deliveries SET due_at = now() WHERE due_at IS NOT NULL');
  }
  expect(await hooks.deliveries(endpoint)).toMatchObject([{ attempts: 10, nextAttemptAt: null }]);
  await hooks.pass(10 * 86_400);
  await hooks.emit();
  expect(await hooks.deliverDue()).toBe(1);
  expect(await hooks.read(endpoint)).toMatchObject({ disabledAt: null });
  receiver.answer = ok;
  await hooks.pass(6);
  expect(await hooks.deliverDue()).toBe(1);
  expect(outcomes.at(-1)).toBe('delivered');
});

test('a process that ends gives up its attempts, which do not count, and another one may begin at once', async () => {
  const endpoint = await hooks.addEndpoint();
  const came = Promise.withResolvers<void>();
  receiver.answer = () => came.resolve();
  await hooks.emit();
  const ending = new AbortController();
  const [taken] = await takeDeliveries(database, 10, { isSlow: false });
  const delivering = deliver(options, taken!, ending.signal);
  await came.promise;
  ending.abort();
  await delivering;
  expect(await hooks.deliveries(endpoint)).toMatchObject([{ attempts: 0, lastError: null }]);
  receiver.answer = ok;
  expect(await hooks.deliverDue()).toBe(1);
  expect(outcomes).toEqual(['delivered']);
});

test('a process that was out of reach for longer than its lease records nothing', async () => {
  const endpoint = await hooks.addEndpoint();
  await hooks.emit();
  const [late] = await takeDeliveries(database, 10, { isSlow: false });
  await hooks.pass(61);
  expect(await hooks.deliverDue()).toBe(1);
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await deliver(options, late!, new AbortController().signal);
  expect(await hooks.deliveries(endpoint)).toMatchObject([{ attempts: 1, lastStatus: 204 }]);
  expect(outcomes).toEqual(['delivered']);
});

test('no connection, header or log line has a secret', async () => {
  const endpoint = await hooks.addEndpoint();
  await hooks.emit();
  await hooks.deliverDue();
  const seen = JSON.stringify([receiver.received, hooks.log.lines]);
  expect(seen).not.toContain(hooks.secretOf(endpoint).slice('whsec_'.length));
  expect(seen).not.toContain('a master secret');
});
