/**
 * A collector of OpenTelemetry, on loopback. It takes only the shape of opentelemetry-proto 1.x in its JSON mapping, and no unknown
 * members.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

// https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto: common/v1, resource/v1, trace/v1.
const fixed64 = z.string().regex(/^\d{1,20}$/);
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d{1,19}$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value: anyValue }));
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string() }),
          spans: z.array(
            z.strictObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z
                .string()
                .regex(/^[0-9a-f]{16}$/)
                .optional(),
              traceState: z.string().max(512).optional(),
              flags: z.uint32(),
              name: z.string().min(1),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: fixed64,
              endTimeUnixNano: fixed64,
              attributes,
              status: z.strictObject({ code: z.int().min(0).max(2).optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

export async function startCollector() {
  const requests: { path: string; headers: Record<string, unknown>; body: z.infer<typeof request> }[] = [];
  const answer = { status: 200 };
  const server = createServer(async (incoming, response) => {
    const body = request.parse(await json(incoming));
    requests.push({ path: incoming.url!, headers: incoming.headers, body });
    response.writeHead(answer.status).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ requests, answer },
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () =>
      requests.flatMap(({ body }) => body.resourceSpans[0]!.scopeSpans.flatMap(({ spans }) => spans)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
