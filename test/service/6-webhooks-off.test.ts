/** Separate processes without WEBHOOK_SECRET: webhooks are off, and everything else works (spec D47). */
import { expect, test } from 'vitest';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { startSeparately } from './support/separate-waypost.ts';
import { createFolder } from './support/waypost.ts';

test('spec D47 without WEBHOOK_SECRET the endpoints answer 503 and say why, and uploads are published', async () => {
  await using folder = await createFolder();
  await using waypost = await startSeparately({}, folder.path);
  const customer = await createCustomer(waypost);
  for (const [route, body] of [
    ['GET /api/webhooks'],
    ['POST /api/webhooks', { url: 'https://www.example.com/' }],
    ['POST /api/webhooks/webhook_none/test'],
    ['GET /api/webhooks/webhook_none/deliveries'],
  ] as const) {
    const { status, json } = await customer.call(route, body && { body });
    expect({ route, status, error: json.error }).toEqual({
      ...{ route, status: 503 },
      error: {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Webhooks are off: the operator of this service has not set WEBHOOK_SECRET.',
      },
    });
  }
  const { hostname } = await customer.createDomain();
  await customer.publish({ domain: hostname, urls: entries(3) });
});
