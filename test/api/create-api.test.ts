import { expect, test } from 'vitest';
import { type ApiParts, createApi } from '../../src/api/create-api.ts';

test('clients that are late with their headers are looked for at least each second', () => {
  const server = createApi({ trustedProxies: 0, reports: {} } as ApiParts);
  expect(server.headersTimeout).toBe(15_000);
  expect(server).toHaveProperty(
    'connectionsCheckingInterval',
    expect.toSatisfy((ms) => ms <= 1000),
  );
});
