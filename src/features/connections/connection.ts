/** A connection: the address of a store of others, and the keys with which an account's loads read it (docs/decisions/0074). */
import { z } from 'zod';
import { invalidField, Refusal } from '../../platform/refusal.ts';

export interface Connection {
  readonly accountId: string;
  readonly name: string;
  /** The origin of the store, as in https://s3.example.net. */
  readonly endpoint: string;
  readonly region: string;
  /** The only buckets that loads may read with this connection. */
  readonly buckets: readonly string[];
  readonly changedAt: Date;
  /** Whether the keys of the connection are gone, or sealed with a key that CERTIFICATE_KEYS lacks. */
  readonly isLost: boolean;
}

export interface ConnectionKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of temporary keys; null for all other keys. */
  readonly sessionToken: string | null;
}

export type GivenConnection = Pick<Connection, 'endpoint' | 'region' | 'buckets'> & {
  readonly keys: ConnectionKeys;
};

/** The most connections of an account. */
export const MAX_CONNECTIONS = 20;
const MAX_BUCKETS = 50;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
/** The rules of S3 for names of buckets. The names of old buckets may have capitals. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;

/** Headers take visible ASCII only. */
const key = (most: number) =>
  z
    .string('must be a text')
    .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters')
    .max(most, `must be at most ${most} characters`);

export const connectionMembersSchema = z.object({
  kind: z.literal('s3', 'must be s3'),
  endpoint: z.string('must be an address').max(256, 'must be at most 256 characters').nullable(),
  region: z.string('must be a text').regex(/^[a-z0-9-]{1,40}$/, 'must be a region, as in eu-central-1'),
  buckets: z
    .array(
      z.string('must be names').regex(BUCKET, 'must be names of buckets'),
      'must be a list of names of buckets',
    )
    .min(1, 'must name at least one bucket')
    .max(MAX_BUCKETS, `must be at most ${MAX_BUCKETS} names`),
  accessKeyId: key(128),
  secretAccessKey: key(256),
  sessionToken: key(4096).nullable(),
});

const SECRETS: readonly string[] = ['accessKeyId', 'secretAccessKey', 'sessionToken'];

/** Throws Refusal VALIDATION_ERROR. Its message has no secret. */
export function parseConnection(members: ReadonlyMap<string, unknown>): GivenConnection {
  const given = { endpoint: null, sessionToken: null, ...Object.fromEntries(members) };
  const parsed = connectionMembersSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue!.path[0]);
    const value = members.get(field);
    const shown = SECRETS.includes(field) ? undefined : value;
    throw invalidField(field, shown, value === undefined ? 'is required' : issue!.message);
  }
  const { endpoint, region, buckets, accessKeyId, secretAccessKey, sessionToken } = parsed.data;
  return {
    endpoint: endpoint === null ? `https://s3.${region}.amazonaws.com` : parseEndpoint(endpoint),
    ...{ region, buckets: [...new Set(buckets)] },
    keys: { accessKeyId, secretAccessKey, sessionToken },
  };
}

/** Checks only the form. The door to hosts of others (`platform/http/outbound.ts`) judges the address and its scheme at each request. */
function parseEndpoint(given: string): string {
  const url = URL.parse(given);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!isHttp || url.href !== `${url.origin}/`) {
    throw invalidField(
      'endpoint',
      hasUser(url) ? undefined : given,
      'must be an address without a path, as in https://s3.example.net; buckets stand in buckets',
    );
  }
  return url.origin;
}

const hasUser = (url: URL | null) => url !== null && (url.username !== '' || url.password !== '');

/** Throws Refusal VALIDATION_ERROR. */
export function parseConnectionName(given: string): string {
  if (NAME.test(given)) return given;
  throw invalidField(
    'name',
    given,
    'must be 1 to 32 lower-case letters, digits and hyphens, and begin with no hyphen',
  );
}

export function noSuchConnection(name: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no connection ${name}.`);
}
