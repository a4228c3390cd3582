/**
 * Issues by ACME (RFC 8555), from the first of the configured directories that works. An order that is under way goes on
 * where it was placed.
 */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { AcmeClient } from '../platform/acme/acme-client.ts';
import { AcmeError } from '../platform/acme/acme-error.ts';
import type { AcmeServer } from '../platform/acme/acme-resources.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { HostChallenge } from '../sites/certificate.ts';
import {
  findAcmeAccount,
  insertAcmeAccount,
  pauseAcmeAccount,
  takeOrderToken,
} from './acme-account-store.ts';
import { completeOrder } from './acme-order.ts';
import { IssuanceError, type IssuanceRequest, type IssuedCertificate, type Issuer } from './issuer.ts';

export interface AcmeIssuerOptions {
  readonly database: Database;
  readonly keys: KeyRing;
  /** In the order of preference. */
  readonly servers: readonly AcmeServer[];
  readonly userAgent: string;
  /** Our own addresses that the hostname leads to. Throws IssuanceError if it does not lead to us, or must not. */
  readonly checkHostname: (
    request: Pick<IssuanceRequest, 'hostname' | 'cnameTarget'>,
    caaIdentities: readonly string[],
  ) => Promise<readonly string[]>;
  readonly proveControl: <Proof>(
    challenge: HostChallenge,
    addresses: readonly string[],
    ask: () => Promise<Proof>,
  ) => Promise<Proof>;
}

/** An authority that is down is not asked again for so long, by any process. */
const PAUSE_MS = 30_000;
/** The authority named no time. */
const RATE_LIMIT_MS = 3_600_000;
/** The bucket of new orders is empty. */
const NO_TOKEN_MS = 5 * 60_000;
/** At most this much of the authorities' own words. */
const MAX_DETAIL = 300;

export class AcmeIssuer implements Issuer {
  readonly #options: AcmeIssuerOptions;
  readonly #clients = new Map<string, AcmeClient>();

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
    const retryAfterMs = Math.min(...problems.map((problem) => problem.retryAfterMs));
    throw new IssuanceError('unavailable', problems.map(({ message }) => message).join(' '), {
      retryAfterMs,
      cause: new AggregateError(problems),
    });
  }

  async renewalWindow({ directory, ariId }: { directory: string | null; ariId: string | null }) {
    const server = this.#options.servers.find(({ directoryUrl }) => directoryUrl === directory);
    if (server === undefined || ariId === null) return undefined;
    const { client } = await this.#account(server);
    const found = await client.renewalInfo(ariId);
    return found && { start: found.start, end: found.end, askAgainMs: found.retryAfterMs };
  }

  /** First the one with an order under way. */
  #inTurn({ order }: IssuanceRequest): readonly AcmeServer[] {
    const { servers } = this.#options;
    const hasOrder = (server: AcmeServer) => server.directoryUrl === order?.directory;
    return [...servers.filter(hasOrder), ...servers.filter((server) => !hasOrder(server))];
  }

  /** Returns the problem if the next authority may do better. Throws the others. */
  async #issueFrom(server: AcmeServer, request: IssuanceRequest): Promise<IssuedCertificate | IssuanceError> {
    const { database, keys, checkHostname, proveControl } = this.#options;
    const directory = server.directoryUrl;
    const { host } = new URL(directory);
    const { client, pausedMs } = await this.#account(server);
    if (pausedMs > 0) {
      return new IssuanceError('unavailable', `${host} did not answer.`, { retryAfterMs: pausedMs });
    }
    try {
      const addresses = await checkHostname(request, await client.caaIdentities());
      const prove = <Proof>(challenge: HostChallenge, ask: () => Promise<Proof>) =>
        proveControl(challenge, addresses, ask);
      const takeToken = async () => {
        if (await takeOrderToken(database, directory)) return;
        const message = `Too many certificates were ordered from ${host}.`;
        throw new AcmeError('create an order', {
          kind: 'rateLimited',
          detail: message,
          retryAfterMs: NO_TOKEN_MS,
        });
      };
      return await completeOrder({ client, directory, keys, prove, takeToken }, request);
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      const said = error.detail.slice(0, MAX_DETAIL) || 'it gives no reason';
      if (error.kind === 'refused') throw refusal(host, error, said);
      const isLimit = error.kind === 'rateLimited';
      // A limit may be of this hostname alone. The others go on.
      if (!isLimit) await pauseAcmeAccount(database, directory, PAUSE_MS);
      const retryAfterMs = error.retryAfterMs ?? (isLimit ? RATE_LIMIT_MS : PAUSE_MS);
      const message = isLimit
        ? `${host} issues no more certificates for now: ${said}`
        : `${host} does not work at the moment.`;
      return new IssuanceError('unavailable', message, { retryAfterMs, cause: error });
    }
  }

  async #account(server: AcmeServer): Promise<{ client: AcmeClient; pausedMs: number }> {
    const { database, keys } = this.#options;
    const directory = server.directoryUrl;
    let account = await findAcmeAccount(database, directory);
    if (account === undefined) {
      await insertAcmeAccount(database, directory, keys.seal(newAccountKey(), subjectOf(directory)));
      account = await findAcmeAccount(database, directory);
    }
    const { key, pausedMs } = account!;
    let client = this.#clients.get(directory);
    if (client === undefined) {
      const accountKey = createPrivateKey({
        key: keys.open(key, subjectOf(directory)),
        format: 'der',
        type: 'pkcs8',
      });
      client = new AcmeClient({ server, accountKey, userAgent: this.#options.userAgent });
      this.#clients.set(directory, client);
    }
    return { client, pausedMs };
  }
}

/** No retry soon helps against these. */
const FINAL = ['caa', 'rejectedIdentifier', 'unsupportedIdentifier'];

function refusal(host: string, error: AcmeError, said: string): IssuanceError {
  const isFinal = FINAL.includes(error.type ?? '');
  const message = `${host} refuses the certificate: ${said}`;
  return new IssuanceError(isFinal ? 'refused' : 'unavailable', message, { cause: error });
}

const newAccountKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' });

const subjectOf = (directory: string) => ['acme account', directory];
