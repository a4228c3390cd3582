/** The library: an object for a server and a key. Its methods call the endpoints of docs/api.md. */
import type { Readable } from 'node:stream';
import type {
  AskedLoad,
  BucketConnection,
  Domain,
  DomainDetails,
  FileError,
  FileVisit,
  FoundUrl,
  Generation,
  Needs,
  Preview,
  ReceivedPart,
  RegisteredDomain,
  Schedule,
  ScheduleHook,
  ScheduleSummary,
  SessionPart,
  Sitemap,
  SitemapChanges,
  TriedConnection,
  Upload,
  UploadAttempt,
  UploadSession,
  Usage,
  Verification,
  Violation,
} from './answers.ts';
import type { AppliedDeltas } from './delta/applied.ts';
import { type Changes, encodeOperations, isChanges, type Operations } from './delta/operation.ts';
import { type SendDeltaOptions, sendChanges, sendLines } from './delta/send-delta.ts';
import { findDomainId } from './domain-id.ts';
import type { Entry } from './entry.ts';
import { Connection, type RepeatableBody } from './http/connection.ts';
import { pathSegment } from './http/path-segment.ts';
import type { RetryOptions } from './http/retry.ts';
import { parseServer, type ServerOptions } from './http/server.ts';
import { type LoadOptions, loadBody } from './load/load-options.ts';
import { type ScheduleOptions, scheduleBody } from './load/schedule-options.ts';
import { type WaitOptions, waitForLoad } from './load/wait-for-load.ts';
import { parseLines } from './parse-lines.ts';
import { compress } from './upload/compress.ts';
import { type DialectOptions, dialectQuery } from './upload/dialect-options.ts';
import { encodeEntries } from './upload/encode-entries.ts';
import { CONTENT_TYPES, type Encoding, type UploadForm } from './upload/form.ts';
import { type Repeatable, repeatable } from './upload/repeatable.ts';
import {
  type CommitOptions,
  commitMembers,
  type PartOptions,
  type PartStreamOptions,
  type SessionOptions,
  sessionMembers,
} from './upload/session-options.ts';
import { type UploadOptions, uploadQuery } from './upload/upload-options.ts';
import { USER_AGENT } from './version.ts';
import { WaypostError } from './waypost-error.ts';

export type * from './answers.ts';
export type { AppliedDeltas } from './delta/applied.ts';
export type { DeltaOptions } from './delta/delta-options.ts';
export type { Changes, Operation, Operations } from './delta/operation.ts';
export type { DeltaProgress, SendDeltaOptions } from './delta/send-delta.ts';
export type * from './entry.ts';
export type { RepeatableBody } from './http/connection.ts';
export type { Retry, RetryOptions } from './http/retry.ts';
export type { ServerOptions } from './http/server.ts';
export type { LoadOptions } from './load/load-options.ts';
export type { ScheduleOptions } from './load/schedule-options.ts';
export type { WaitOptions } from './load/wait-for-load.ts';
export type { DialectOptions } from './upload/dialect-options.ts';
export type { Encoding, UploadForm } from './upload/form.ts';
export type { Repeatable } from './upload/repeatable.ts';
export type {
  CommitOptions,
  PartOptions,
  PartStreamOptions,
  SessionOptions,
} from './upload/session-options.ts';
export type { UploadOptions } from './upload/upload-options.ts';
export { WaypostError } from './waypost-error.ts';

export interface WaypostOptions extends ServerOptions, RetryOptions {}

export interface SendOptions extends UploadOptions, RetryOptions {
  /** Compresses the body: it becomes about ten times smaller, for some CPU time on this machine. */
  readonly gzip?: boolean | undefined;
  /** All attempts of an upload use the same key. Default: a new key for each upload. */
  readonly idempotencyKey?: string | undefined;
}

export interface StreamOptions extends SendOptions {
  readonly form: UploadForm;
  /** The encoding of a body that is already compressed. */
  readonly encoding?: Encoding | undefined;
}

/** The most URLs of a sitemap, in percent, that an upload may remove. The guard holds an upload that removes more. */
export type Guard = DomainDetails['guard'];
export type Placement = DomainDetails['placement'];
/** Whether a domain has a sitemap of recent changes, and how many hours a change stays in it, from 1 to 168. */
export type RecentSettings = Partial<Pick<DomainDetails['recent'], 'enabled' | 'hours'>>;
/** The outcome of an upload. */
export type Outcome = UploadAttempt['outcome'];

/** The conditions of a list of sessions. */
export interface ListSessionsOptions {
  /** Lists only sessions of this sitemap. */
  readonly sitemapName?: string | undefined;
  readonly status?: UploadSession['status'] | undefined;
}

export interface ConnectionSettings {
  readonly kind: 's3';
  /** The origin of the store. The default is AWS in the region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly buckets: readonly string[];
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of temporary keys. All other keys have none. */
  readonly sessionToken?: string | undefined;
}

export interface PublishOptions {
  readonly force?: boolean;
  readonly ifGeneration?: number;
}

/** The change of a URL by an upload. The first 100,000 changes also have the fields that differ. */
export interface UploadChange {
  readonly change: 'added' | 'changed' | 'removed';
  readonly loc: string;
  readonly from?: Readonly<Record<string, string>>;
  readonly to?: Readonly<Record<string, string>>;
}

export interface FindOptions {
  /** Looks only in this domain. */
  readonly domain?: string | undefined;
  /** Looks only in sitemaps of this name. */
  readonly sitemapName?: string | undefined;
}

/** The first day and the last one of the usage. */
export interface UsageSpan {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface CrawlFilter {
  /** Counts only this file, as in `sitemap.xml`. */
  readonly file?: string | undefined;
  /** Counts only this kind of crawler. */
  readonly crawler?: string | undefined;
}

export interface CrawlErrorFilter extends CrawlFilter {
  /** Counts only this status, as in 404. */
  readonly status?: number | undefined;
}

/** Each method takes a domain as its hostname or its id, and the unnamed sitemap as `default`. Methods throw WaypostError. */
export class Waypost {
  readonly #connection: Connection;
  readonly #signal: AbortSignal | undefined;
  readonly #base: URL;

  constructor({ apiKey, url, insecure, ...retry }: WaypostOptions) {
    const server = parseServer({ apiKey, url, ...(insecure !== undefined && { insecure }) });
    this.#connection = new Connection(server, USER_AGENT, retry);
    this.#signal = retry.signal;
    this.#base = server.base;
  }

  /**
   * Replaces a sitemap by these entries. The entries are pulled at the pace of the server, so memory stays flat. If `entries` throws, or
   * the signal aborts before all entries are sent, nothing is published. If `entries` is an array, or a function that makes the entries, the
   * upload is retried after a lost connection. Any other iterable can be read only once, so it is not sent again.
   */
  async upload(
    domain: string,
    entries: Repeatable<AsyncIterable<Entry> | Iterable<Entry>>,
    options: SendOptions = {},
  ): Promise<Upload> {
    return this.uploadBody(domain, repeatable(entries, encodeEntries), { ...options, form: 'ndjson' });
  }

  /** Replaces a sitemap by a body in one of the forms. `domain` may be undefined if a JSON document has it. */
  async uploadStream(
    domain: string | undefined,
    body: Repeatable<AsyncIterable<Uint8Array>>,
    options: StreamOptions,
  ): Promise<Upload> {
    const bytes = repeatable(body, (same) => same);
    return this.uploadBody(domain, bytes, options);
  }

  /** Works like `uploadStream`, for a body whose `canOpen` says whether it can be read again. */
  async uploadBody(
    domain: string | undefined,
    body: RepeatableBody,
    options: StreamOptions,
  ): Promise<Upload> {
    return this.#connection.send('POST /api/sitemap/generate', {
      ...options,
      query: uploadQuery(await this.#hostname(domain, options), options),
      ...wireOf(body, options),
    });
  }

  /** Opens an upload that comes in parts. Many processes may send parts at once. The session expires 24 hours after its last part. */
  async session(domain: string, options: SessionOptions = {}): Promise<UploadSession> {
    const body = sessionMembers(await this.#hostname(domain, options), options);
    return this.#connection.call('POST /api/upload-sessions', { ...options, body });
  }

  /** Lists the sessions of a domain, the newest first, also those that ended in the last 14 days. */
  async *listSessions(
    domain: string,
    { sitemapName: sitemap, status }: ListSessionsOptions = {},
  ): AsyncGenerator<UploadSession, void, undefined> {
    const query = { sitemap, status };
    yield* this.#connection.list<UploadSession>(`GET ${await this.#path(domain)}/upload-sessions`, { query });
  }

  async getSession(sessionId: string): Promise<UploadSession> {
    return this.#connection.call(`GET ${sessionPath(sessionId)}`);
  }

  /**
   * Sends a part, which may be empty. `part`: from 1 to 10,000. The part replaces an earlier part of the same number, so a task that runs
   * twice may send it twice. If `entries` throws, the earlier part stays.
   */
  async part(
    sessionId: string,
    part: number,
    entries: Repeatable<AsyncIterable<Entry> | Iterable<Entry>>,
    options: PartOptions = {},
  ): Promise<ReceivedPart> {
    return this.partBody(sessionId, part, repeatable(entries, encodeEntries), { ...options, form: 'ndjson' });
  }

  /** Works like `part`, for a body that is already in `options.form`. Its `canOpen` says whether it can be read again. */
  async partBody(
    sessionId: string,
    part: number,
    body: RepeatableBody,
    options: PartStreamOptions,
  ): Promise<ReceivedPart> {
    return this.#connection.send(`PUT ${sessionPath(sessionId)}/parts/${part}`, {
      ...options,
      query: dialectQuery(options),
      ...wireOf(body, options),
    });
  }

  /** Lists the parts of a session that has not ended, by number. */
  async *listParts(sessionId: string): AsyncGenerator<SessionPart, void, undefined> {
    yield* this.#connection.list<SessionPart>(`GET ${sessionPath(sessionId)}/parts`);
  }

  /**
   * Publishes these parts as one generation. `parts`: the answers of `part`. Other parts of the session are left out. A repeated call gets
   * the same answer.
   */
  async commit(
    sessionId: string,
    parts: readonly Pick<SessionPart, 'part' | 'digest'>[],
    options: CommitOptions = {},
  ): Promise<Upload> {
    // Send the body as bytes: the service may be silent for long while it publishes.
    const body = Buffer.from(JSON.stringify(commitMembers(parts, options)));
    const headers = { 'Content-Type': CONTENT_TYPES.json };
    return this.#connection.send(`POST ${sessionPath(sessionId)}/commit`, { ...options, headers, body });
  }

  /** Ends a session without a commit. */
  async abort(sessionId: string): Promise<UploadSession> {
    return this.#connection.call(`DELETE ${sessionPath(sessionId)}`);
  }

  /**
   * Changes a few entries of a sitemap, and leaves all others. Lists (`{ upsert, remove }`) are one delta, all or nothing.
   *
   * Other operations are sent as they come, in portions of at most 100,000 operations and 32 MiB. Each portion is published when it is
   * sent. If a later portion fails, or `changes` throws, the earlier portions stay, and you may send all operations again. Of several
   * operations on a URL, the last one counts. With `ifGeneration`, no other client may publish between the portions either.
   */
  async delta(
    domain: string,
    changes: Changes | Operations,
    options: SendDeltaOptions = {},
  ): Promise<AppliedDeltas> {
    return isChanges(changes)
      ? sendChanges(this.#connection, await this.#hostname(domain, options), changes, options)
      : this.deltaStream(domain, encodeOperations(changes), options);
  }

  /** Works like `delta`, for lines of NDJSON: `{"upsert":{…}}` or `{"remove":"https://…"}`. */
  async deltaStream(
    domain: string,
    lines: AsyncIterable<Uint8Array>,
    options: SendDeltaOptions = {},
  ): Promise<AppliedDeltas> {
    const signal = options.signal ?? this.#signal;
    return sendLines(this.#connection, await this.#hostname(domain, options), lines, { ...options, signal });
  }

  /**
   * Shows how the service reads the beginning of a body: at most its first 64 KiB, or a whole Parquet file of at most 4 MiB. Publishes
   * nothing. `suggestions`: parameters that may be missing.
   */
  async preview(
    beginning: Uint8Array,
    { form, encoding, ...options }: DialectOptions & Pick<StreamOptions, 'form' | 'encoding'>,
  ): Promise<Preview> {
    return this.#connection.send('POST /api/uploads/preview', {
      query: dialectQuery(options),
      headers: { 'Content-Type': CONTENT_TYPES[form], ...(encoding && { 'Content-Encoding': encoding }) },
      body: repeatable(() => [beginning], onlyBytes),
    });
  }

  /**
   * Lets Waypost fetch lists of URLs, sitemaps, sitemap indexes, or the sitemaps that a robots.txt names, as one upload. Returns when the
   * load is accepted; `waitForLoad` waits for its end.
   */
  async load(
    domain: string,
    sources: readonly string[],
    { idempotencyKey, ...options }: LoadOptions & { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<AskedLoad> {
    const body = loadBody(await this.#hostname(domain), sources, options);
    return this.#connection.call('POST /api/sitemap/load', { body, idempotencyKey });
  }

  /** Waits for the end of a load. Returns the attempt, whatever its outcome. */
  async waitForLoad(uploadId: string, options: WaitOptions = {}): Promise<UploadAttempt> {
    const signal = options.signal ?? this.#signal;
    const look = () => this.#connection.call<UploadAttempt>(`GET ${uploadPath(uploadId)}`, { signal });
    return waitForLoad(look, { ...options, signal });
  }

  /** Cancels a load. The load publishes nothing. */
  async cancelLoad(uploadId: string): Promise<void> {
    await this.#connection.call(`DELETE ${uploadPath(uploadId)}`, { signal: AbortSignal.timeout(CANCEL_MS) });
  }

  /** Lists the schedules of a domain, by sitemap. */
  async *listSchedules(domain: string): AsyncGenerator<ScheduleSummary, void, undefined> {
    yield* this.#connection.list<ScheduleSummary>(`GET ${await this.#path(domain)}/schedules`);
  }

  /** Shows a schedule with its last runs. */
  async getSchedule(domain: string, sitemapName = 'default'): Promise<Schedule> {
    return this.#connection.call(`GET ${await this.#schedulePath(domain, sitemapName)}`);
  }

  /** Sets from which sources a sitemap is loaded, and when. Replaces the whole schedule. */
  async setSchedule(
    domain: string,
    sitemapName: string,
    sources: readonly string[],
    options: ScheduleOptions = {},
  ): Promise<Schedule> {
    const body = scheduleBody(sources, options);
    return this.#connection.call(`PUT ${await this.#schedulePath(domain, sitemapName)}`, { body });
  }

  /** Changes the times of a schedule, pauses it, or lets it run again. */
  async changeSchedule(
    domain: string,
    sitemapName: string,
    { cron, cronTimezone: timezone, enabled }: Pick<ScheduleOptions, 'cron' | 'cronTimezone' | 'enabled'>,
  ): Promise<Schedule> {
    return this.#connection.call(`PATCH ${await this.#schedulePath(domain, sitemapName)}`, {
      body: { cron, timezone, enabled },
    });
  }

  /** Runs a schedule now, even if it is paused. */
  async runSchedule(domain: string, sitemapName = 'default'): Promise<{ readonly status: 'queued' }> {
    return this.#connection.call(`POST ${await this.#schedulePath(domain, sitemapName)}/run`);
  }

  async deleteSchedule(domain: string, sitemapName = 'default'): Promise<void> {
    await this.#connection.delete(await this.#schedulePath(domain, sitemapName));
  }

  /**
   * Returns an address that runs the schedule without a key. The address is a secret, and is not shown again. The former address no longer
   * works.
   */
  async makeScheduleHook(domain: string, sitemapName = 'default'): Promise<string> {
    const route = `POST ${await this.#schedulePath(domain, sitemapName)}/hook`;
    const { path } = await this.#connection.call<ScheduleHook>(route);
    return this.#base.href.replace(/\/$/, '') + path;
  }

  /** Lists all connections to buckets, by name. They are few, so their list has no pages. */
  async *listConnections(): AsyncGenerator<BucketConnection, void, undefined> {
    yield* await this.#connection.call<BucketConnection[]>('GET /api/connections');
  }

  /** Sets a connection, or replaces it. No answer has its keys. */
  async setConnection(name: string, settings: ConnectionSettings): Promise<BucketConnection> {
    return this.#connection.call(`PUT ${connectionPath(name)}`, { body: settings });
  }

  /** Tries the connection: asks for the first key of each bucket. */
  async tryConnection(name: string): Promise<TriedConnection> {
    return this.#connection.call(`POST ${connectionPath(name)}/test`);
  }

  /** Deletes a connection. The service refuses this while schedules read by the connection. */
  async deleteConnection(name: string): Promise<void> {
    await this.#connection.delete(connectionPath(name));
  }

  listDomains(): AsyncGenerator<Domain, void, undefined> {
    return this.#connection.list('GET /api/domains');
  }

  async createDomain(hostname: string): Promise<RegisteredDomain> {
    return this.#connection.call('POST /api/domains', { body: { hostname } });
  }

  async getDomain(domain: string): Promise<DomainDetails> {
    return this.#connection.call(`GET ${await this.#path(domain)}`);
  }

  /** Looks for the DNS records now. The `status` of the answer tells whether the domain is verified. */
  async verifyDomain(domain: string): Promise<Verification> {
    return this.#connection.call(`POST ${await this.#path(domain)}/verify`);
  }

  /** Sets the guard. Null turns it off. */
  async setGuard(domain: string, guard: Guard | null): Promise<DomainDetails> {
    return this.#connection.call(`PATCH ${await this.#path(domain)}`, { body: { guard } });
  }

  /** Sets where uploads put their entries. The options of an upload may say otherwise. */
  async setPlacement(domain: string, placement: Placement): Promise<DomainDetails> {
    return this.#connection.call(`PATCH ${await this.#path(domain)}`, { body: { placement } });
  }

  /** Changes the settings of the sitemap of recent changes. Absent members do not change. */
  async setRecent(domain: string, recent: RecentSettings): Promise<DomainDetails> {
    return this.#connection.call(`PATCH ${await this.#path(domain)}`, { body: { recent } });
  }

  /** Deletes the domain and all its sitemaps, for good. */
  async deleteDomain(domain: string): Promise<void> {
    await this.#connection.delete(await this.#path(domain));
  }

  async *listSitemaps(domain: string): AsyncGenerator<Sitemap, void, undefined> {
    yield* this.#connection.list<Sitemap>(`GET ${await this.#path(domain)}/sitemaps`);
  }

  /** Says how often uploads of the sitemap are expected. Null: no upload is expected. */
  async expectUploads(domain: string, sitemapName: string, everyHours: number | null): Promise<Sitemap> {
    return this.#connection.call(`PATCH ${await this.#sitemapPath(domain, sitemapName)}`, {
      body: { expectEveryHours: everyHours },
    });
  }

  async deleteSitemap(domain: string, sitemapName: string): Promise<void> {
    await this.#connection.delete(await this.#sitemapPath(domain, sitemapName));
  }

  /** Finds a URL in a sitemap, a domain, or all domains. `found` of the answer tells whether it is there. */
  async find(url: string, { domain, sitemapName }: FindOptions = {}): Promise<FoundUrl> {
    const query = { url, domain: await this.#hostname(domain), sitemapName };
    return this.#connection.call('GET /api/find', { query });
  }

  /**
   * Lists the last visit of each kind of crawler to each file. A crawler claims its kind by its User-Agent. Visits to your pages are not
   * seen.
   */
  async *crawls(
    domain: string,
    { file, crawler }: CrawlFilter = {},
  ): AsyncGenerator<FileVisit, void, undefined> {
    yield* this.#connection.list<FileVisit>(`GET ${await this.#path(domain)}/crawls`, {
      query: { file, crawler },
    });
  }

  /** Lists errors that crawlers got in the last 30 days, and the missing files that they asked for, the newest day first. */
  async *crawlErrors(
    domain: string,
    { file, crawler, status }: CrawlErrorFilter = {},
  ): AsyncGenerator<FileError, void, undefined> {
    yield* this.#connection.list<FileError>(`GET ${await this.#path(domain)}/crawls/errors`, {
      query: { file, crawler, status },
    });
  }

  /** Lists what people must do, the most urgent first. `domain`: lists only the needs of this domain, by its hostname or id. */
  async needs({ domain }: { readonly domain?: string | undefined } = {}): Promise<Needs> {
    return this.#connection.call('GET /api/needs', { query: { domain } });
  }

  /**
   * Returns the usage of your account, by day in UTC. `from` and `to` are days, as in 2026-01-15. Default: the last 30 days. The service
   * keeps 400 days.
   */
  async usage({ from, to }: UsageSpan = {}): Promise<Usage> {
    return this.#connection.call('GET /api/usage', { query: { from, to } });
  }

  /** Lists all attempts, the newest first. */
  async *listUploads(domain: string): AsyncGenerator<UploadAttempt, void, undefined> {
    yield* this.#connection.list<UploadAttempt>(`GET ${await this.#path(domain)}/uploads`);
  }

  async getUpload(uploadId: string): Promise<UploadAttempt> {
    return this.#connection.call(`GET ${uploadPath(uploadId)}`);
  }

  /** Publishes an upload that the guard holds. A repeated call gets the same answer. */
  async publishUpload(uploadId: string, options: PublishOptions = {}): Promise<Upload> {
    return this.#connection.call(`POST ${uploadPath(uploadId)}/publish`, { body: options });
  }

  /** Returns which URLs a held upload would change. The service compares the upload while you wait. */
  async getUploadChanges(uploadId: string): Promise<SitemapChanges> {
    return this.#connection.call(`GET ${uploadPath(uploadId)}/changes`);
  }

  /** Lists all URLs that a held upload would change, in no order. */
  async *listUploadChanges(uploadId: string): AsyncGenerator<UploadChange, void, undefined> {
    yield* parseLines<UploadChange>(
      await this.#connection.open(`GET ${uploadPath(uploadId)}/changes?form=ndjson`),
      this.#signal,
    );
  }

  /** Lists the rejected entries, at most 100,000. The service keeps them for a day. */
  async *listRejects(uploadId: string): AsyncGenerator<Violation, void, undefined> {
    yield* parseLines<Violation>(await this.openRejects(uploadId), this.#signal);
  }

  /** Opens the rejected entries as bytes, one line of JSON each. Read the stream to its end, or destroy it. */
  async openRejects(uploadId: string): Promise<Readable> {
    return this.#connection.open(`GET ${uploadPath(uploadId)}/rejects`);
  }

  /** Lists the generations, the newest first. */
  async *listGenerations(
    domain: string,
    sitemapName = 'default',
  ): AsyncGenerator<Generation, void, undefined> {
    yield* this.#connection.list<Generation>(
      `GET ${await this.#sitemapPath(domain, sitemapName)}/generations`,
    );
  }

  /** Brings the content of a former generation back, as a new generation. */
  async rollback(
    domain: string,
    sitemapName: string,
    to: { readonly generation: number; readonly ifGeneration?: number },
  ): Promise<Upload> {
    return this.#connection.call(`POST ${await this.#sitemapPath(domain, sitemapName)}/rollback`, {
      body: to,
    });
  }

  async #schedulePath(domain: string, sitemapName: string): Promise<string> {
    return `${await this.#sitemapPath(domain, sitemapName)}/schedule`;
  }

  async #sitemapPath(domain: string, sitemapName: string): Promise<string> {
    return `${await this.#path(domain)}/sitemaps/${pathSegment(sitemapName)}`;
  }

  /** Returns the hostname, for the operations that take no id. */
  async #hostname<Asked extends string | undefined>(
    domain: Asked,
    { retries, signal, onRetry }: RetryOptions = {},
  ): Promise<Asked | string> {
    if (!domain?.startsWith('domain_')) return domain;
    const asked = { retries, signal, onRetry };
    return (await this.#connection.call<Domain>(`GET ${await this.#path(domain)}`, asked)).hostname;
  }

  async #path(domain: string): Promise<string> {
    return `/api/domains/${await findDomainId(domain, (hostname) => this.#domainsNamed(hostname))}`;
  }

  /** Lists the domain with a hostname. Lists all domains if the service is of a former version, which refuses the parameter. */
  async *#domainsNamed(hostname: string): AsyncGenerator<Domain, void, undefined> {
    try {
      yield* this.#connection.list<Domain>('GET /api/domains', { query: { hostname } });
    } catch (error) {
      const isRefused = error instanceof WaypostError && error.code === 'VALIDATION_ERROR';
      if (!isRefused || error.details.field !== 'hostname') throw error;
      yield* this.listDomains();
    }
  }
}

/** Makes the body that is sent, and its headers. */
function wireOf(
  body: RepeatableBody,
  { form, gzip = false, encoding: given }: Pick<StreamOptions, 'form' | 'gzip' | 'encoding'>,
) {
  const encoding = gzip ? 'gzip' : given;
  return {
    headers: { 'Content-Type': CONTENT_TYPES[form], ...(encoding && { 'Content-Encoding': encoding }) },
    body: gzip ? { open: () => compress(body.open()), canOpen: () => body.canOpen() } : body,
  };
}

function sessionPath(sessionId: string): string {
  return `/api/upload-sessions/${pathSegment(sessionId)}`;
}

/** The time limit of a cancellation. A cancellation is often the last request of a program. */
const CANCEL_MS = 10_000;

function connectionPath(name: string): string {
  return `/api/connections/${pathSegment(name)}`;
}

function uploadPath(uploadId: string): string {
  return `/api/uploads/${pathSegment(uploadId)}`;
}

async function* onlyBytes(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
}
