/** Requests to `/dashboard/api`, and what comes of them. */
import { shownAccountHeader, tellSwitched } from './shown-account.ts';

/** An error of the envelope, or of the way there: then `status` is 0. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** A page of a list. `next`: the cursor of the next page, if there is one. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** `path`: below /dashboard/api/, or an absolute one. Throws ApiError. */
export async function ask<Data>(method: Method, path: string, body?: object): Promise<Data> {
  return (await askWhole<Data>(method, path, body)).data;
}

export const get = <Data>(path: string) => ask<Data>('GET', path);

/** Throws ApiError. */
export async function getPage<Row>(path: string): Promise<Page<Row>> {
  const { data, pagination } = await askWhole<readonly Row[]>('GET', path);
  return { rows: data, next: pagination?.hasMore ? pagination.cursor : undefined };
}

interface Success<Data> {
  readonly data: Data;
  readonly pagination?: { readonly hasMore: boolean; readonly cursor?: string };
}

async function askWhole<Data>(method: Method, path: string, body?: object): Promise<Success<Data>> {
  let response: Response;
  try {
    response = await fetch(path.startsWith('/') ? path : `/dashboard/api/${path}`, {
      method,
      headers: { ...shownAccountHeader(), ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, 'UNREACHABLE', 'Waypost cannot be reached. Check your connection.');
  }
  return readEnvelope<Data>(response.status, await response.text());
}

/** Throws ApiError. */
export function readEnvelope<Data>(status: number, text: string): Success<Data> {
  let envelope: Envelope<Data>;
  try {
    envelope = JSON.parse(text);
  } catch {
    throw new ApiError(status, 'UNREADABLE', `Waypost gave an answer that cannot be read (${status}).`);
  }
  if (envelope.success) return envelope;
  const { code, message, details } = envelope.error;
  if (details?.field === 'Waypost-Account') tellSwitched();
  throw new ApiError(status, code, message, details);
}

type Envelope<Data> =
  | ({ readonly success: true } & Success<Data>)
  | {
      readonly success: false;
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly details?: Readonly<Record<string, unknown>>;
      };
    };
