/**
 * A client of one ACME server, for one account (RFC 8555) and certificates of one hostname each, by http-01. It supports profiles
 * (draft-ietf-acme-profiles), external accounts, renewal information and `replaces` (RFC 9773).
 *
 * ```
 * newOrder → authorization → (serve the key authorization) → respond → settledAuthorization
 *          → settledOrder → finalize → issuedOrder → certificate
 * ```
 *
 * Methods throw AcmeError. A wait also throws the reason of its aborted signal. A method repeats a request only for a bad nonce. The caller
 * decides when and where to try again after any other error. An order and its URL outlive the client, so a caller that keeps the URL can go
 * on in another process.
 */
import type { KeyObject } from 'node:crypto';
import { retryAfterMs } from '../http/retry-after.ts';
import { AccountKey } from './account-key.ts';
import { AcmeError } from './acme-error.ts';
import type { AcmeServer, Authorization, Order, RenewalWindow } from './acme-resources.ts';
import { AcmeSession, malformed, mediaType, readJson, type Signed } from './acme-session.ts';
import { authorizationSchema, http01Schema, orderSchema, renewalInfoSchema } from './acme-shapes.ts';
import type { AcmeAnswer } from './https-exchange.ts';
import { type PollOptions, pollUntilDecided } from './poll.ts';
import { Remembered } from './remembered.ts';

export interface AcmeClientOptions {
  readonly server: AcmeServer;
  /** The key of the account, on P-256. Processes with the same key get the same account. */
  readonly accountKey: KeyObject;
  readonly userAgent: string;
  /** The time limit of one request, with its repetitions for bad nonces. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 30_000;
const MINUTE_MS = 60_000;
/** The time until the next question if the server names none (RFC 9773, section 4.3.3). */
const DEFAULT_RENEWAL_CHECK_MS = 6 * 60 * MINUTE_MS;

export class AcmeClient implements Disposable {
  readonly #server: AcmeServer;
  readonly #key: AccountKey;
  readonly #session: AcmeSession;
  readonly #account = new Remembered(() => this.#newAccount());

  constructor({ server, accountKey, userAgent, timeoutMs = TIMEOUT_MS }: AcmeClientOptions) {
    this.#server = server;
    this.#key = new AccountKey(accountKey);
    const { directoryUrl } = server;
    this.#session = new AcmeSession({ directoryUrl, accountKey: this.#key, userAgent, timeoutMs });
  }

  /** Returns the account's URL. Creates a missing account, which means that we agree to the server's terms. */
  account(): Promise<string> {
    return this.#account.get();
  }

  /** Returns the names of this server in CAA records (RFC 8555, section 7.1.1), for example letsencrypt.org. */
  async caaIdentities(): Promise<readonly string[]> {
    return (await this.#session.directory()).meta.caaIdentities ?? [];
  }

  /**
   * Places an order. `replaces`: the id of the certificate that the order renews. A server without renewal information does not get the id.
   */
  async newOrder(hostname: string, { replaces }: { replaces?: string | undefined } = {}): Promise<Order> {
    const attempt = 'create an order';
    const directory = await this.#session.directory();
    const { profile } = this.#server;
    const { profiles } = directory.meta;
    if (profile !== undefined && profiles !== undefined && !Object.hasOwn(profiles, profile)) {
      const detail = `the server has no profile ${profile}`;
      throw new AcmeError(attempt, { kind: 'refused', type: 'invalidProfile', detail });
    }
    const payload = {
      identifiers: [{ type: 'dns', value: hostname }],
      ...(profile !== undefined && profiles !== undefined && { profile }),
      ...(replaces !== undefined && directory.renewalInfo !== undefined && { replaces }),
    };
    const answer = await this.#post(directory.newOrder, attempt, { payload });
    const order = this.#readOrder(attempt, answer, this.#location(attempt, answer));
    if (order.hostname !== hostname) throw malformed(attempt, 'the order is for another hostname');
    return order;
  }

  async order(url: string): Promise<Order> {
    const attempt = 'read an order';
    return this.#readOrder(attempt, await this.#post(url, attempt), url);
  }

  async authorization(url: string): Promise<Authorization> {
    const attempt = 'read an authorization';
    const answer = await this.#post(url, attempt);
    const { identifier, status, challenges } = readJson(attempt, answer, authorizationSchema);
    const offered = challenges.find(({ type }) => type === 'http-01');
    const { data: challenge, error } = http01Schema.optional().safeParse(offered);
    if (error !== undefined) throw malformed(attempt, 'the challenge does not have the expected shape');
    if (challenge !== undefined) this.#session.ownUrl(challenge.url, attempt);
    return { url, hostname: identifier.value, status, challenge, retryAfterMs: pause(answer) };
  }

  /** Returns the key authorization for this token: the whole answer to the challenge. */
  keyAuthorization(token: string): Promise<string> {
    return this.#key.authorize(token);
  }

  /** Asks the server to check the challenge. The caller must already serve the key authorization. */
  async respond(challengeUrl: string): Promise<void> {
    await this.#post(challengeUrl, 'respond to a challenge', { payload: {} });
  }

  /** Waits until the authorization is no longer pending, and returns it. */
  settledAuthorization(url: string, options: PollOptions): Promise<Authorization> {
    return pollUntilDecided(
      () => this.authorization(url),
      ({ status }) => status !== 'pending',
      options,
    );
  }

  /** Asks for the certificate of an order that is ready. `signingRequest`: PKCS #10 in DER. */
  async finalize({ url, finalize }: Order, signingRequest: Uint8Array): Promise<Order> {
    const attempt = 'finalize an order';
    const payload = { csr: Buffer.from(signingRequest).toString('base64url') };
    return this.#readOrder(attempt, await this.#post(finalize, attempt, { payload }), url);
  }

  /** Waits until the order is ready, valid or invalid, and returns it. */
  settledOrder(url: string, options: PollOptions): Promise<Order> {
    return pollUntilDecided(
      () => this.order(url),
      ({ status }) => status !== 'pending' && status !== 'processing',
      options,
    );
  }

  /**
   * Waits until an order is valid or invalid after `finalize`, and returns it. An authority with several databases may still call the order
   * ready for a moment.
   */
  issuedOrder(url: string, options: PollOptions): Promise<Order> {
    return pollUntilDecided(
      () => this.order(url),
      ({ status }) => status === 'valid' || status === 'invalid',
      options,
    );
  }

  /** Returns the chain of a valid order. The text is untrusted and should be PEM. */
  async certificate({ certificate }: Order): Promise<string> {
    const attempt = 'download a certificate';
    if (certificate === undefined) throw malformed(attempt, 'the order names none');
    const accept = 'application/pem-certificate-chain';
    const { headers, body } = await this.#post(certificate, attempt, { accept });
    if (mediaType(headers['content-type']) !== accept) {
      throw malformed(attempt, 'the answer is no chain by its content type');
    }
    return body;
  }

  /** Returns when to renew the certificate with this id (RFC 9773). Undefined if the server has no renewal information. */
  async renewalInfo(certificateId: string): Promise<RenewalWindow | undefined> {
    const attempt = 'read renewal information';
    const { renewalInfo } = await this.#session.directory();
    if (renewalInfo === undefined) return undefined;
    const answer = await this.#session.get(`${renewalInfo.replace(/\/$/, '')}/${certificateId}`, attempt);
    const { suggestedWindow } = readJson(attempt, answer, renewalInfoSchema);
    const askAgainMs = Math.max(pause(answer) ?? DEFAULT_RENEWAL_CHECK_MS, MINUTE_MS);
    return { ...suggestedWindow, askAgainMs };
  }

  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }

  async #newAccount(): Promise<string> {
    const attempt = 'find or make the account';
    const { newAccount } = await this.#session.directory();
    const { contact, externalAccount } = this.#server;
    const ask = async (payload: object) =>
      this.#location(attempt, await this.#session.post(newAccount, attempt, { payload }));
    const made = { termsOfServiceAgreed: true, ...(contact !== undefined && { contact }) };
    if (externalAccount === undefined) return ask(made);
    // A binding may end when it is used, or after some days. Some servers refuse an ended binding even for a known account.
    const found = await ask({ onlyReturnExisting: true }).catch((error: unknown) => {
      if (error instanceof AcmeError && error.kind === 'refused') return undefined;
      throw error;
    });
    return found ?? ask({ ...made, externalAccountBinding: this.#key.bind(externalAccount, newAccount) });
  }

  async #post(url: string, attempt: string, signed: Omit<Signed, 'account'> = {}): Promise<AcmeAnswer> {
    try {
      return await this.#session.post(url, attempt, { ...signed, account: await this.account() });
    } catch (error) {
      // The next call creates a new account.
      if (error instanceof AcmeError && error.type === 'accountDoesNotExist') this.#account.forget();
      throw error;
    }
  }

  #location(attempt: string, { headers: { location } }: AcmeAnswer): string {
    if (location === undefined) throw malformed(attempt, 'the answer has no Location');
    return this.#session.ownUrl(location, attempt).href;
  }

  #readOrder(attempt: string, answer: AcmeAnswer, url: string): Order {
    const { identifiers, ...order } = readJson(attempt, answer, orderSchema);
    for (const named of [...order.authorizations, order.finalize, order.certificate ?? url]) {
      this.#session.ownUrl(named, attempt);
    }
    return { ...order, url, hostname: identifiers[0].value, retryAfterMs: pause(answer) };
  }
}

const pause = ({ headers }: AcmeAnswer) => retryAfterMs(headers['retry-after']);
