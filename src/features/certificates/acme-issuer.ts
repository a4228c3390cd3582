/**
 * Issues certificates by ACME (RFC 8555), from the first of the configured directories that works. An order under way is continued first,
 * at the directory where it was placed.
 */
import { AcmeClient } from '../../platform/acme/acme-client.ts';
import { AcmeError } from '../../platform/acme/acme-error.ts';
import type { AcmeServer } from '../../platform/acme/acme-resources.ts';
import type { KeyRing } from '../../platform/key-ring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { steadyNow } from '../../platform/steady-clock.ts';
import { newPrivateKey, readPrivateKey } from '../../platform/x509/certificate-key.ts';
import {
  findAcmeAccount,
  insertAcmeAccount,
  pauseAcmeAccount,
  takeOrderToken,
} from './acme-account-store.ts';
import { type CompleteOrderOptions, completeOrder } from './acme-order.ts';
import {
  IssuanceError,
  type IssuanceRequest,
  type IssuedAt,
  type IssuedCertificate,
  type Issuer,
} from './issuer.ts';
import type { Proving } from './prove-control.ts';
import { accountSubject } from './sealed-subjects.ts';

export interface LimitedServer extends AcmeServer {
  /** The limit of new orders in three hours, over all processes. */
  readonly ordersPer3h: number;
}

export interface AcmeIssuerOptions {
  readonly database: Database;
  readonly keys: KeyRing;
  /** The servers in the order of preference. */
  readonly servers: readonly LimitedServer[];
  readonly userAgent: string;
  /**
   * Returns the addresses of the hostname. Throws IssuanceError if the hostname leads elsewhere, if its CAA records exclude the authority,
   * or if a lookup fails.
   */
  readonly checkHostname: (
    request: Pick<IssuanceRequest, 'hostname' | 'cnameTarget'>,
    caaIdentities: readonly string[],
  ) => Promise<readonly string[]>;
  readonly proveControl: <Proof>(proving: Proving<Proof>) => Promise<Proof>;
  readonly removeChallenge: (hostname: string) => Promise<void>;
  /** The time limit of one call to an authority. */
  readonly timeoutMs?: number;
}

/** The time for which no process asks an authority that did not answer. */
const PAUSE_MS = 30_000;
/** After so many orders in a row on which an authority did not decide, the authority counts as not working. */
const UNDECIDED_IN_A_ROW = 3;
/** The wait after a rate limit if the authority names no time. */
const RATE_LIMIT_MS = 3_600_000;
/**
 * The longest wait for a decision. ZeroSSL names a day in Retry-After of authorizations that it decides within minutes
 * (github.com/acmesh-official/acme.sh/issues/6221).
 */
const MOST_UNDECIDED_MS = 10 * 60_000;
/** The wait when the bucket of new orders is empty. */
const NO_TOKEN_MS = 5 * 60_000;
/** The most characters that we show of an authority's own message. */
const MAX_DETAIL = 300;

export class AcmeIssuer implements Issuer {
  readonly #options: AcmeIssuerOptions;
  readonly #clients = new Map<string, AcmeClient>();
  /** The orders without a decision since the last decision, by directory. */
  readonly #undecided = new Map<string, number>();
  /** The times before which directories are not asked for renewal windows, by `steadyNow`. */
  readonly #quietUntil = new Map<string, number>();

  constructor(options: AcmeIssuerOptions) {
    this.#options = options;
  }

  async issue(request: IssuanceRequest): Promise<IssuedCertificate> {
    const problems: IssuanceError[] = [];
    for (const server of this.#inTurn(request)) {
      const outcome = await this.#issueFrom(server, request);
      if (!(outcome instanceof IssuanceError)) return outcome;
      problems.push(outcome);
    }
    const unavailable = problems.filter(({ failure }) => failure === 'unavailable');
    // All authorities refuse. The message of the first authority is enough: one CAA record can allow that authority.
    if (unavailable.length === 0) throw problems[0];
    const retryAfterMs = Math.min(...unavailable.map((problem) => problem.retryAfterMs));
    throw new IssuanceError('unavailable', problems.map(({ message }) => message).join(' '), {
      retryAfterMs,
      cause: new AggregateError(problems),
    });
  }

  async renewalWindow({ directory, ariId }: IssuedAt) {
    const server = this.#options.servers.find(({ directoryUrl }) => directoryUrl === directory);
    if (server === undefined || ariId === null) return undefined;
    const { client, pausedMs } = await this.#account(server);
    // Thousands of certificates may be due to ask. If each of them waits for a server that hangs, no other certificate gets its turn.
    if (pausedMs > 0 || steadyNow() < (this.#quietUntil.get(directory!) ?? 0)) {
      throw new AcmeError('ask for the renewal time', {
        kind: 'unavailable',
        detail: 'the server did not answer',
      });
    }
    try {
      return await client.renewalInfo(ariId);
    } catch (error) {
      // A pause of the account would also stop orders, which may work.
      const isSilent =
        error instanceof AcmeError && error.kind === 'unavailable' && error.status === undefined;
      if (isSilent) this.#quietUntil.set(directory!, steadyNow() + PAUSE_MS);
      throw error;
    }
  }

  async room(): Promise<number> {
    const { database, servers } = this.#options;
    const rooms = servers.map(async ({ directoryUrl, ordersPer3h }) => {
      const account = await findAcmeAccount(database, directoryUrl, ordersPer3h);
      return Math.floor(account?.tokens ?? ordersPer3h);
    });
    return (await Promise.all(rooms)).reduce((sum, room) => sum + room, 0);
  }

  /**
   * Returns the servers in the order to try. The first is the server of the order under way. Without such an order, the first is the issuer
   * of the former certificate, because a renewal at the same authority counts towards no limit.
   */
  #inTurn({ order, former }: IssuanceRequest): readonly LimitedServer[] {
    const { servers } = this.#options;
    const directory = order?.directory ?? former?.directory;
    const isFirst = (server: AcmeServer) => server.directoryUrl === directory;
    return [...servers.filter(isFirst), ...servers.filter((server) => !isFirst(server))];
  }

  /** Issues from one server. Returns a problem after which the next server may succeed. Throws all other errors. */
  async #issueFrom(
    server: LimitedServer,
    request: IssuanceRequest,
  ): Promise<IssuedCertificate | IssuanceError> {
    const { database, keys, checkHostname, proveControl, removeChallenge } = this.#options;
    const directory = server.directoryUrl;
    const { host } = new URL(directory);
    const { client, pausedMs, tokens } = await this.#account(server);
    if (pausedMs > 0) {
      return new IssuanceError('unavailable', `${host} did not answer.`, { retryAfterMs: pausedMs });
    }
    // Thousands of requests may wait for a token, so do not look up the DNS of each first.
    if (tokens < 1 && request.order === undefined && request.former === undefined) {
      return problemOf(host, noToken());
    }
    try {
      const addresses = await checkHostname(request, await client.caaIdentities());
      const prove: CompleteOrderOptions['prove'] = (challenge, ask) =>
        proveControl({ challenge, addresses, ask, signal: request.signal });
      const takeToken = async () => {
        if (!(await takeOrderToken(database, directory, server.ordersPer3h))) throw noToken();
      };
      const issued = await completeOrder({ client, directory, keys, addresses, prove, takeToken }, request);
      this.#undecided.delete(directory);
      await removeChallenge(request.hostname);
      return issued;
    } catch (error) {
      // CAA records exclude this authority. They may allow the next one.
      if (error instanceof IssuanceError && error.failure === 'refused') return error;
      if (!(error instanceof AcmeError)) throw error;
      const problem = problemOf(host, error);
      const undecided = error.isUndecided ? (this.#undecided.get(directory) ?? 0) + 1 : 0;
      this.#undecided.set(directory, undecided);
      // Only an outage pauses the account: a limit, a refusal or an order without a decision may concern this hostname alone.
      const isDown = error.kind === 'unavailable' && (!error.isUndecided || undecided >= UNDECIDED_IN_A_ROW);
      if (isDown) await pauseAcmeAccount(database, directory, PAUSE_MS);
      return problem;
    }
  }

  async #account(server: LimitedServer): Promise<{ client: AcmeClient; pausedMs: number; tokens: number }> {
    const { database, keys } = this.#options;
    const { directoryUrl: directory, ordersPer3h } = server;
    let account = await findAcmeAccount(database, directory, ordersPer3h);
    if (account === undefined) {
      const sealed = keys.seal(newPrivateKey(), accountSubject(directory));
      await insertAcmeAccount(database, directory, sealed, ordersPer3h);
      account = await findAcmeAccount(database, directory, ordersPer3h);
    }
    const { key, pausedMs, tokens } = account!;
    let client = this.#clients.get(directory);
    if (client === undefined) {
      const accountKey = readPrivateKey(keys.open(key, accountSubject(directory)));
      const { userAgent, timeoutMs } = this.#options;
      client = new AcmeClient({ server, accountKey, userAgent, timeoutMs });
      this.#clients.set(directory, client);
    }
    return { client, pausedMs, tokens };
  }
}

/** The types of errors that another attempt within minutes gets again. */
const FINAL = ['caa', 'rejectedIdentifier', 'unsupportedIdentifier'];

function problemOf(host: string, error: AcmeError): IssuanceError {
  const { kind, type = '', detail, retryAfterMs } = error;
  const said = detail.slice(0, MAX_DETAIL) || 'it gives no reason';
  const problem = (message: string, waitMs = 0, mostMs = Number.POSITIVE_INFINITY) =>
    new IssuanceError('unavailable', message, {
      retryAfterMs: Math.min(retryAfterMs ?? waitMs, mostMs),
      cause: error,
    });
  if (error.isUndecided)
    return problem(`${host} has not decided on the certificate yet.`, PAUSE_MS, MOST_UNDECIDED_MS);
  if (kind === 'unavailable') return problem(`${host} does not work at the moment.`, PAUSE_MS);
  if (kind === 'rateLimited') {
    return problem(`${host} issues no more certificates for now: ${said}`, RATE_LIMIT_MS);
  }
  const message = `${host} refuses the certificate: ${said}`;
  return FINAL.includes(type) ? new IssuanceError('refused', message, { cause: error }) : problem(message);
}

function noToken(): AcmeError {
  const detail = 'Waypost has ordered as many as its own limit allows';
  return new AcmeError('create an order', { kind: 'rateLimited', detail, retryAfterMs: NO_TOKEN_MS });
}
