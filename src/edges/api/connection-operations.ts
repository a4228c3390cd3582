/**
 * The operations that list, set, try and delete connections. A connection has the keys to buckets of the account. Loads read the buckets
 * with these keys, and publish the lists in them (docs/decisions/0074).
 */
import { z } from 'zod';
import { type AuditEntry, insertAuditEvent } from '../../features/accounts/audit-store.ts';
import { holdCaller } from '../../features/accounts/hold-caller.ts';
import {
  type Connection,
  connectionMembersSchema,
  noSuchConnection,
  parseConnection,
  parseConnectionName,
} from '../../features/connections/connection.ts';
import type { Connections } from '../../features/connections/open-connections.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import { keepScheduledConnection } from '../../features/uploads/schedules/keep-connection.ts';
import { operation, tagged } from './operation.ts';
import {
  answered,
  answeredList,
  described,
  done,
  jsonBody,
  type Shown,
  shownAs,
  text,
  time,
} from './shapes.ts';

export interface ConnectionNeeds {
  readonly connections: Connections;
  readonly uploads: Pick<Uploads, 'tryConnection'>;
}

const shape = z
  .object({
    name: text,
    kind: z.literal('s3'),
    endpoint: described(text, 'The address of the store.'),
    region: text,
    buckets: described(z.array(text), 'The buckets that it may read.'),
    changedAt: time,
    usable: described(
      z.boolean(),
      'False: the service can no longer open its keys. Set the connection again.',
    ),
  })
  .meta({ id: 'BucketConnection' });

const CONNECTION = {
  name: 'warehouse',
  kind: 's3',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  region: 'eu-central-1',
  buckets: ['acme-exports'],
  changedAt: '2026-01-15T10:30:00Z',
  usable: true,
};

const { kind, endpoint, region, buckets, accessKeyId, secretAccessKey, sessionToken } =
  connectionMembersSchema.shape;
const body = jsonBody(
  z.strictObject({
    kind: described(kind, 'A store that speaks the protocol of S3.'),
    endpoint: described(
      endpoint,
      'The address of the store, without a path; by default that of AWS in the region.',
    ).optional(),
    region: described(region, 'As in `eu-central-1`. Stores without regions take `us-east-1`, some `auto`.'),
    buckets: described(buckets, 'The buckets that it may read, at most 50.'),
    accessKeyId: described(accessKeyId, 'Never shown again.'),
    secretAccessKey: described(secretAccessKey, 'Never shown again.'),
    sessionToken: described(sessionToken, 'Of temporary keys. Never shown again.').optional(),
  }),
  {
    ...{ kind: 's3', region: CONNECTION.region, buckets: CONNECTION.buckets },
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
);

const OFF = 'The operator has not switched connections on.';
const NONE = 'There is no such connection.';
const one = { access: { actions: ['connections'], to: 'account' } } as const;

export const connectionOperations = tagged('Uploads', [
  operation('get', '/api/connections', {
    ...one,
    id: 'listConnections',
    summary: 'Lists your connections to buckets, by name',
    answer: answeredList('All connections, without their keys.', z.array(shape), CONNECTION),
    run: async ({ connections }: ConnectionNeeds, { caller }) =>
      (await connections.list(caller.accountId)).map(describeConnection),
  }),
  operation('put', '/api/connections/{name}', {
    ...one,
    id: 'putConnection',
    summary: 'Sets a connection to buckets, with its keys',
    description:
      'It replaces the whole connection of this name. Loads name it in `connection`. Its keys are sealed, and no answer shows them. ' +
      'They need `s3:GetObject`, and `s3:ListBucket` for wildcards.',
    body,
    answer: answered(200, 'The connection, without its keys.', shape, CONNECTION),
    errors: {
      CONFLICT: 'Or you have 20 connections.',
      SERVICE_UNAVAILABLE: OFF,
    },
    async run({ connections }: ConnectionNeeds, { caller, path, members }) {
      const name = parseConnectionName(path.name);
      const given = parseConnection(await members());
      const details = { endpoint: given.endpoint, buckets: given.buckets };
      const put = await connections.put(
        caller.accountId,
        name,
        given,
        // The key or the session of the caller may have ended while the body arrived.
        (transaction) => holdCaller(transaction, caller),
        (transaction) =>
          insertAuditEvent(transaction, caller, { action: 'connection.set', subject: name, details }),
      );
      return describeConnection(put);
    },
  }),
  operation('post', '/api/connections/{name}/test', {
    ...one,
    id: 'tryConnection',
    summary: 'Tries a connection: asks for the first key of each of its buckets',
    description:
      'Keys that may list only below a prefix fail here, and can still load by addresses below that prefix.',
    answer: answered(
      200,
      'What each bucket answers.',
      z
        .object({
          buckets: z.array(
            z.object({
              bucket: text,
              problem: described(text.nullable(), 'Why it cannot be listed, for people. Null: it can.'),
            }),
          ),
        })
        .meta({ id: 'TriedConnection' }),
      { buckets: [{ bucket: 'acme-exports', problem: null }] },
    ),
    errors: { NOT_FOUND: NONE, SERVICE_UNAVAILABLE: OFF },
    async run({ connections, uploads }: ConnectionNeeds, { caller: { accountId }, path: { name } }) {
      const known = await connections.list(accountId);
      if (!known.some((connection) => connection.name === name)) throw noSuchConnection(name);
      return { buckets: await uploads.tryConnection(accountId, name) };
    },
  }),
  operation('delete', '/api/connections/{name}', {
    ...one,
    id: 'deleteConnection',
    summary: 'Deletes a connection',
    description: 'A load that is reading goes on until its process ends; then it is refused.',
    answer: answered(200, 'The connection is deleted.', z.object({ name: text, deleted: done }), {
      name: CONNECTION.name,
      deleted: true,
    }),
    errors: {
      NOT_FOUND: NONE,
      CONFLICT:
        'Or schedules read by it: `details.schedules` has the first 20, each with `domain` and `sitemapName`.',
    },
    async run({ connections }: ConnectionNeeds, { caller, path: { name } }) {
      const entry: AuditEntry = { action: 'connection.deleted', subject: name };
      await connections.delete(
        caller.accountId,
        name,
        async (transaction) => {
          await holdCaller(transaction, caller);
          await keepScheduledConnection(transaction, caller.accountId, name);
        },
        (transaction) => insertAuditEvent(transaction, caller, entry),
      );
      return { name, deleted: true as const };
    },
  }),
]);

function describeConnection(connection: Connection): Shown<typeof shape> {
  return shownAs(shape, { ...connection, kind: 's3', usable: !connection.isLost });
}
