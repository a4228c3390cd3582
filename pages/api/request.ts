/** Sends requests to `/dashboard/api` and `/auth`, and reads their answers. */
import { tellAnswered, tellUnreachable } from './connection.ts';
import { shownAccountHeader, tellSwitched } from './shown-account.ts';

/** The error of an answer, or of a request without an answer: then `status` is 0. */
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

/** Waits until the person has signed in again, if the page has something to lose. Resolves to whether there is a session again. */
let waitForSession = async () => false;

export function onSessionEnd(wait: () => Promise<boolean>): void {
  waitForSession = wait;
}

/** If `status` is 401, the session has ended: waits until the person has signed in again. Resolves to whether to send the request again. */
export function comesBack(status: number): Promise<boolean> {
  return status === 401 ? waitForSession() : Promise.resolve(false);
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `path`: below /dashboard/api/, or an absolute one. Throws ApiError. */
export async function ask<Data>(method: Method, path: string, body?: object): Promise<Data> {
  return (await askWhole<Data>(method, path, body)).data;
}

/** Throws ApiError, and AbortError if `signal` aborts. The service then ends long work for the request. */
export async function get<Data>(path: string, signal?: AbortSignal): Promise<Data> {
  const { status, text } = await reach(path, signal && { signal });
  return readEnvelope<Data>(status, text).data;
}

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
  const { status, text } = await reach(path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  // A change waits until the person has signed in again. Reads do not wait: the pages read again after the sign-in. Requests to /auth/ are
  // about the session itself.
  const isChange = method !== 'GET' && !path.startsWith('/auth/');
  if (isChange && (await comesBack(status))) return askWhole<Data>(method, path, body);
  return readEnvelope<Data>(status, text);
}

interface Reached {
  readonly status: number;
  readonly text: string;
}

interface Asking {
  readonly method?: Method;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal;
}

/** `path`: below /dashboard/api/, or an absolute one. Throws ApiError if no whole answer comes, and AbortError if `signal` aborts. */
export async function reach(path: string, { headers, ...asking }: Asking = {}): Promise<Reached> {
  try {
    const response = await fetch(path.startsWith('/') ? path : `/dashboard/api/${path}`, {
      ...asking,
      headers: { ...shownAccountHeader(), ...headers },
    });
    const text = await response.text();
    tellAnswered(response.headers.get('Date'));
    return { status: response.status, text };
  } catch (error) {
    if (asking.signal?.aborted) throw error;
    tellUnreachable();
    throw new ApiError(0, 'UNREACHABLE', "Waypost can't be reached. Check your connection.");
  }
}

/** Throws ApiError. */
export function readEnvelope<Data>(status: number, text: string): Success<Data> {
  let envelope: Envelope<Data>;
  try {
    envelope = JSON.parse(text);
  } catch {
    throw new ApiError(status, 'UNREADABLE', `Waypost's answer can't be read (${status}).`);
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
