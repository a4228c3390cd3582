/** An API without secrets: webhooks and connections are off, and everything else works (spec D47). */
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { serves, startProcess } from './support/processes.ts';
import { addressesOf, openBackend } from './support/separate-waypost.ts';
import { createFolder } from './support/waypost.ts';

const WEBHOOKS_OFF = 'Webhooks are off: the operator of this service has not set WEBHOOK_SECRET.';
const CONNECTIONS_OFF =
  'Connections are off: the operator of this service has not set CERTIFICATE_KEYS for the API.';
const CONNECTION = {
  ...{ kind: 's3', region: 'auto', buckets: ['exports'], endpoint: 'https://s3.example.net' },
  ...{ accessKeyId: 'a', secretAccessKey: 'b' },
};

const folder = await createFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const { settings, dns } = await openBackend(folder.path);
afterAll(() => dns[Symbol.asyncDispose]());

test('spec D47 without secrets their endpoints answer 503 and say why, for ever, and uploads are published', async () => {
  const port = await freePort();
  await using api = startProcess('src/api-server.ts', { ...settings, API_PORT: String(port) });
  const waypost = { dataDir: folder.path, dns, ...addressesOf(port, 0) };
  await serves(api, waypost.apiUrl);
  const customer = await createCustomer(waypost);
  for (const [message, route, body] of [
    [WEBHOOKS_OFF, 'GET /api/webhooks'],
    [WEBHOOKS_OFF, 'POST /api/webhooks', { url: 'https://www.example.com/' }],
    [WEBHOOKS_OFF, 'POST /api/webhooks/webhook_none/test'],
    [WEBHOOKS_OFF, 'GET /api/webhooks/webhook_none/deliveries'],
    [CONNECTIONS_OFF, 'PUT /api/connections/lake', CONNECTION],
  ] as const) {
    const { status, json, headers } = await customer.call(route, body && { body });
    const { 'retry-after': retryAfter } = headers;
    // A repeated request has the same answer until the operator sets the secret.
    expect({ route, status, retryAfter, error: json.error }).toEqual({
      ...{ route, status: 503, retryAfter: undefined },
      error: { code: 'SERVICE_UNAVAILABLE', message },
    });
  }
  const { hostname } = await customer.createDomain();
  await customer.publish({ domain: hostname, urls: entries(3) });
});
