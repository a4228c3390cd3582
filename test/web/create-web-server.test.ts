import { expect, test } from 'vitest';
import { createWebServer, type WebServerOptions } from '../../src/core/web/create-web-server.ts';

test('clients with late headers are looked for at least every second', () => {
  const server = createWebServer({ trustedProxies: 0, reports: {} } as WebServerOptions, []);
  expect(server.headersTimeout).toBe(15_000);
  expect(server).toHaveProperty(
    'connectionsCheckingInterval',
    expect.toSatisfy((ms) => ms <= 1000),
  );
});
