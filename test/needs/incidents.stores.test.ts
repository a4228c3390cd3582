/** The messages about needs: one when a need begins, and one when it is over, by mail and in a chat. */
import { afterAll, expect, test } from 'vitest';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { sendDigests } from '../../src/features/needs/incidents/send-digests.ts';
import { tellIncidents } from '../../src/features/needs/incidents/tell-incidents.ts';
import { deliver } from '../../src/features/webhooks/deliver.ts';
import { openMail } from '../../src/features/webhooks/mail/open-mail.ts';
import { createSendMail } from '../../src/features/webhooks/mail/send-mail.ts';
import { TOPICS, type Topic } from '../../src/features/webhooks/mail/topics.ts';
import { takeDeliveries } from '../../src/features/webhooks/take-deliveries.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { addUser } from '../support/people.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { createWebhookFixture } from '../webhooks/webhook-fixture.ts';

const hooks = await createWebhookFixture();
const { database, receiver } = hooks;
const server = await startSmtpReceiver();
afterAll(() => server[Symbol.asyncDispose]());
const sendMail = createSendMail(new Secret(server.url), 'waypost@example.net');
const mail = openMail({ database, newId, master: hooks.options.master });

/** An account with a domain that is fine, a chat, and a person who gets mails. */
async function start(topics: readonly Topic[] = TOPICS) {
  const accountId = await addAccount(database);
  const domain = await addVerifiedDomain(database, accountId);
  await database.query(`UPDATE domains SET status = 'active', ssl_status = 'active' WHERE id = $1`, [
    domain.id,
  ]);
  await database.query(
    `INSERT INTO certificates (account_id, hostname, domain_id, not_before, not_after) VALUES ($1, $2, $3, now(), now() + interval '90 days')`,
    [accountId, domain.hostname, domain.id],
  );
  for (const [seq, id] of [`upload_live_${domain.id}`, `upload_next_${domain.id}`].entries()) {
    await database.query(
      `INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at)
       VALUES ($1, $2, 'sale', $3, 10, 1, 1, 1, now())`,
      [id, domain.id, seq + 1],
    );
  }
  await database.query(`INSERT INTO sitemaps (domain_id, name, upload_id) VALUES ($1, 'sale', $2)`, [
    domain.id,
    `upload_live_${domain.id}`,
  ]);
  const userId = await addUser(database, accountId);
  const wanted = { accountId, userId, address: `${userId}@example.com`, topics };
  const { id } = await mail.save(wanted, false, async () => {});
  await database.query('UPDATE webhook_endpoints SET proven_at = now() WHERE id = $1', [id]);
  await database.query('DELETE FROM webhook_events');
  await hooks.addEndpoint({ accountId, format: 'slack', eventTypes: ['need.opened', 'need.closed'] });
  return { accountId, domain };
}

/** Looks three times, as three minutes would, and delivers. Returns the titles in the chat and those of mails. */
async function tellAll(): Promise<{ chat: string[]; mails: string[] }> {
  receiver.received.length = 0;
  server.received.length = 0;
  for (let n = 0; n < 3; n++) {
    await database.query(`UPDATE told_accounts SET due_at = now()`);
    // Two processes look at once.
    await Promise.all([tellIncidents(database, hooks.log), tellIncidents(database, hooks.log)]);
  }
  while ((await hooks.deliverDue()) > 0);
  for (;;) {
    const due = await takeDeliveries(database, 100, { isMail: true });
    if (due.length === 0) break;
    const { signal } = new AbortController();
    await Promise.all(due.map((one) => deliver({ ...hooks.options, sendMail }, one, signal)));
  }
  return {
    chat: receiver.received.map(({ body }) => JSON.parse(body).blocks[0].text.text.replace(/^\S+ /u, '')),
    mails: server.received.map(({ mail: { subject } }) => subject!),
  };
}

type Change = (of: { readonly id: string; readonly accountId: string }) => Promise<unknown>;
const sql =
  (...statements: string[]): Change =>
  async ({ id, accountId }) => {
    for (const text of statements) {
      const values = [id, accountId].slice(0, text.includes('$2') ? 2 : 1);
      await database.query(text, values);
    }
  };

const PAGE_HOST = `INSERT INTO page_hosts (domain_id, account_id, origin, state, message, state_since)
  VALUES ($1, $2, 'https://www.acme.example', 'disallowed', '', now() - interval '1 hour')
  ON CONFLICT (domain_id, origin) DO UPDATE SET state = 'disallowed', state_since = now() - interval '1 hour'`;

/** The begin and the end of each need, and the message about it. */
const MATRIX: readonly [Topic, Change, RegExp, Change, boolean][] = [
  [
    'robots',
    sql(PAGE_HOST),
    /^www\.acme\.example\/robots\.txt blocks crawlers$/,
    sql(`UPDATE page_hosts SET state = 'named' WHERE domain_id = $1`),
    true,
  ],
  [
    'dns',
    sql(
      `UPDATE domains SET wrong_checks = 3, wrong_since = now() - interval '1 hour', moved_at = now() - interval '1 hour' WHERE id = $1`,
    ),
    /^\S+ doesn't point to Waypost yet$/,
    sql(`UPDATE domains SET wrong_checks = 0, wrong_since = NULL, moved_at = NULL WHERE id = $1`),
    true,
  ],
  [
    'certificate',
    sql(
      `UPDATE certificates SET failures = 2, failing_since = now() - interval '2 hours', last_error = 'CAA forbids it.' WHERE domain_id = $1`,
    ),
    /^The certificate of \S+ can't be renewed$/,
    sql(`UPDATE certificates SET failures = 0, failing_since = NULL WHERE domain_id = $1`),
    true,
  ],
  [
    'uploadsRefused',
    sql(
      `INSERT INTO refused_uploads (domain_id, sitemap_name, account_id, times, live_upload_id, attempt_id)
       SELECT $1, 'sale', $2, 3, 'upload_live_' || $1, 'upload_x'`,
    ),
    /^“sale” was refused three times in a row$/,
    sql(`UPDATE sitemaps SET upload_id = 'upload_next_' || $1 WHERE domain_id = $1`),
    true,
  ],
  [
    'uploadsRefused',
    sql(
      `INSERT INTO schedules (id, account_id, domain_id, sitemap_name, timezone, spread_ms, asked, terms, is_enabled, failures, failed_since)
       VALUES ('schedule_' || $1, $2, $1, 'sale', 'UTC', 0, '{}', '{}', true, 3, now() - interval '1 hour')`,
    ),
    /^“sale” couldn't be loaded three times in a row$/,
    sql(`UPDATE schedules SET failures = 0, failed_since = NULL WHERE domain_id = $1`),
    true,
  ],
  [
    'sitemapStale',
    sql(
      `UPDATE sitemaps SET expect_every_hours = 24, fresh_until = now() - interval '1 hour', stale_since = now() - interval '1 hour',
              stale_account = (SELECT account_id FROM domains WHERE id = $1) WHERE domain_id = $1`,
    ),
    /^“sale” is late$/,
    sql(
      `UPDATE sitemaps SET fresh_until = now() + interval '1 day', stale_since = NULL, stale_account = NULL WHERE domain_id = $1`,
    ),
    true,
  ],
  [
    'heldUpload',
    sql(
      `INSERT INTO held_uploads (id, account_id, domain_id, hostname, sitemap_name, ping_search)
       VALUES ('upload_held_' || $1, $2, $1, '', 'sale', false)`,
      `INSERT INTO garbage (prefix, collect_after) VALUES ('uploads/upload_held_' || $1 || '/', now() + interval '2 days')`,
    ),
    /^“sale” would lose many of its URLs$/,
    sql(`UPDATE held_uploads SET published = '{}' WHERE domain_id = $1`),
    false,
  ],
];

test.each(MATRIX)('%s is told once, and once when it is over', async (topic, begin, title, end, tellsEnd) => {
  const { accountId, domain } = await start();
  const of = { id: domain.id, accountId };
  expect(await tellAll()).toEqual({ chat: [], mails: [] });
  await begin(of);
  const opened = await tellAll();
  expect(opened.chat).toEqual([expect.stringMatching(title)]);
  expect(opened.mails).toEqual(opened.chat);
  await end(of);
  const over = tellsEnd ? [`Over: ${opened.chat[0]}`] : [];
  expect(await tellAll()).toEqual({ chat: over, mails: over });
  expect((await database.query('SELECT FROM incidents WHERE account_id = $1', [accountId])).rowCount).toBe(0);

  // People who chose another topic get nothing, and a deleted domain ends nothing.
  const others = TOPICS.filter((one) => one !== topic);
  const other = await start(others);
  await tellAll();
  await begin({ id: other.domain.id, accountId: other.accountId });
  expect((await tellAll()).mails).toEqual([]);
});

test.each<[string, Change, Change]>([
  [
    'a second host has the fault of the first one',
    sql(PAGE_HOST),
    sql(`INSERT INTO page_hosts (domain_id, account_id, origin, state, message)
         VALUES ($1, $2, 'https://shop.acme.example', 'disallowed', '')`),
  ],
  [
    'the late renewal of a certificate fails',
    sql(
      `UPDATE certificates SET not_before = now() - interval '85 days', not_after = now() + interval '5 days' WHERE domain_id = $1`,
    ),
    sql(
      `UPDATE certificates SET failures = 1, failing_since = now(), last_error = 'It failed.' WHERE domain_id = $1`,
    ),
  ],
])('what is told is not told again when it becomes worse: %s', async (_, begin, goOn) => {
  const { accountId, domain } = await start();
  const of = { id: domain.id, accountId };
  await tellAll();
  await begin(of);
  expect((await tellAll()).chat).toHaveLength(1);
  const incidents = async () =>
    (await database.query('SELECT opened_at, told FROM incidents WHERE account_id = $1', [accountId])).rows;
  const opened = await incidents();
  expect(opened).toHaveLength(1);
  await goOn(of);
  expect(await tellAll()).toEqual({ chat: [], mails: [] });
  expect(await incidents()).toEqual(opened);
});

test('what was open before somebody listened is no news, and a single wrong answer is none either', async () => {
  const { accountId, domain } = await start();
  await MATRIX[0]![1]({ id: domain.id, accountId });
  await database.query(`UPDATE domains SET wrong_checks = 1, wrong_since = now() WHERE id = $1`, [domain.id]);
  expect(await tellAll()).toEqual({ chat: [], mails: [] });
  await MATRIX[0]![3]({ id: domain.id, accountId });
  await database.query(`UPDATE domains SET wrong_checks = 0, wrong_since = NULL WHERE id = $1`, [domain.id]);
  expect(await tellAll()).toEqual({ chat: [], mails: [] });
});

test('what goes out of sight is not over: a domain that fails hides its robots.txt', async () => {
  const { accountId, domain } = await start();
  await tellAll();
  await MATRIX[0]![1]({ id: domain.id, accountId });
  await tellAll();
  await database.query(
    `UPDATE domains SET status = 'failed', moved_at = now() - interval '8 days' WHERE id = $1`,
    [domain.id],
  );
  expect((await tellAll()).chat).toEqual([`${domain.hostname} isn't served any more`]);
  await database.query(`UPDATE domains SET status = 'pending_verification', moved_at = NULL WHERE id = $1`, [
    domain.id,
  ]);
  expect((await tellAll()).chat).toEqual([]);
});

test('after a suspension people hear of what is open, and of nothing that came and went', async () => {
  const { accountId, domain } = await start();
  const of = { id: domain.id, accountId };
  await tellAll();
  const suspend = (at: string) =>
    database.query(`UPDATE accounts SET suspended_at = ${at} WHERE id = $1`, [accountId]);
  await suspend('now()');
  const [robots, dns] = MATRIX as unknown as [(typeof MATRIX)[number], (typeof MATRIX)[number]];
  for (const change of [robots[1], robots[3], dns[1]]) {
    await change(of);
    await database.query(
      `UPDATE webhook_endpoints SET digest_at = now() WHERE account_id = $1 AND digest_at IS NOT NULL`,
      [accountId],
    );
    await sendDigests(database, readPlans(), hooks.log);
    expect(await tellAll()).toEqual({ chat: [], mails: [] });
  }
  await suspend('NULL');
  const told = [expect.stringMatching(dns[2])];
  expect(await tellAll()).toEqual({ chat: told, mails: told });
});

test('many needs of a kind at once are one message', async () => {
  const { accountId, domain } = await start();
  await tellAll();
  const ids = [domain.id];
  for (let n = 0; n < 30; n++) {
    const { id } = await addVerifiedDomain(database, accountId);
    ids.push(id);
  }
  for (const id of ids) await MATRIX[1]![1]({ id, accountId });
  const { chat, mails } = await tellAll();
  expect(chat).toEqual([expect.stringMatching(/ doesn't point to Waypost yet, and 30 more$/)]);
  expect(mails).toEqual(chat);
  for (const id of ids) await MATRIX[1]![3]({ id, accountId });
  expect((await tellAll()).mails).toEqual([expect.stringMatching(/^Over: .*, and 30 more$/)]);
});

test('an account whose look fails keeps no other from its messages, and is looked at again', async () => {
  const broken = await start();
  const fine = await start();
  await tellAll();
  // What makes a look fail stands for an account that is too large for a statement.
  await database.query(
    `CREATE FUNCTION fail_look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too large'; END $$;
     CREATE TRIGGER fail_look BEFORE INSERT ON incidents FOR EACH ROW
       WHEN (NEW.account_id = '${broken.accountId}') EXECUTE FUNCTION fail_look()`,
  );
  for (const { accountId, domain } of [broken, fine]) await MATRIX[1]![1]({ id: domain.id, accountId });
  expect((await tellAll()).chat).toEqual([`${fine.domain.hostname} doesn't point to Waypost yet`]);
  expect(hooks.log.lines).toContainEqual(
    expect.objectContaining({
      details: expect.objectContaining({ accountId: broken.accountId }),
      message: 'people are not told of the needs of an account',
    }),
  );
  await database.query('DROP TRIGGER fail_look ON incidents');
  expect((await tellAll()).chat).toEqual([`${broken.domain.hostname} doesn't point to Waypost yet`]);
});

test('a digest comes each week to those who chose it, with weeks that were missed left out', async () => {
  const { accountId } = await start(['digest']);
  const plans = readPlans();
  const pass = (days: number) =>
    database.query(`UPDATE webhook_endpoints SET digest_at = digest_at - $1 * interval '1 day'`, [days]);
  const sent = async () => {
    await Promise.all([sendDigests(database, plans, hooks.log), sendDigests(database, plans, hooks.log)]);
    return (await tellAll()).mails;
  };
  await database.query('UPDATE webhook_endpoints SET digest_at = NULL WHERE account_id <> $1', [accountId]);
  await pass(6.9);
  expect(await sent()).toEqual([]);
  await pass(0.2);
  expect(await sent()).toEqual(['Your week: nothing needs you']);
  expect(await sent()).toEqual([]);
  await pass(21);
  expect(await sent()).toEqual(['Your week: nothing needs you']);
  expect(await sent()).toEqual([]);
});

test('a digest that fails keeps nobody from theirs, and comes an hour later', async () => {
  await database.query('UPDATE webhook_endpoints SET digest_at = NULL');
  const broken = await start(['digest']);
  await start(['digest']);
  const pass = (span: string) =>
    database.query(`UPDATE webhook_endpoints SET digest_at = digest_at - $1::interval`, [span]);
  const sent = async () => {
    await sendDigests(database, readPlans(), hooks.log);
    return (await tellAll()).mails;
  };
  await pass('7 days');
  // The broken one is due first.
  await database.query(
    `UPDATE webhook_endpoints SET digest_at = digest_at - interval '1 minute' WHERE account_id = $1`,
    [broken.accountId],
  );
  await MATRIX[0]![1]({ id: broken.domain.id, accountId: broken.accountId });
  const setOrigin = (origin: string) =>
    database.query('UPDATE page_hosts SET origin = $2 WHERE domain_id = $1', [broken.domain.id, origin]);
  await setOrigin('no address');
  expect(await sent()).toEqual(['Your week: nothing needs you']);
  expect(hooks.log.lines).toContainEqual(expect.objectContaining({ message: 'a digest could not be sent' }));
  await setOrigin('https://www.acme.example');
  expect(await sent()).toEqual([]);
  await pass('1 hour');
  expect(await sent()).toEqual(['Your week: 1 thing needs you']);
  await pass('6 days');
  expect(await sent()).toEqual([]);
});

test('an address that nobody has proved gets no digest, and its first one comes a week after it is due', async () => {
  await start(['digest']);
  const due = async (isProven: boolean) => {
    await database.query(
      `UPDATE webhook_endpoints SET digest_at = now() - interval '1 hour', proven_at = CASE WHEN $1 THEN now() END WHERE user_id IS NOT NULL`,
      [isProven],
    );
    await sendDigests(database, readPlans(), hooks.log);
    return (await tellAll()).mails;
  };
  expect(await due(false)).toEqual([]);
  await database.query('UPDATE webhook_endpoints SET proven_at = now() WHERE user_id IS NOT NULL');
  await sendDigests(database, readPlans(), hooks.log);
  expect((await tellAll()).mails).toEqual([]);
  expect(await due(true)).not.toEqual([]);
});
