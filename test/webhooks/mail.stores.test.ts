/** Mails by a real SMTP server: the proof of an address, the mails that are sent, failures, and the end of mails. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { deliver } from '../../src/features/webhooks/deliver.ts';
import { emitEvent, emitToOne } from '../../src/features/webhooks/emit-event.ts';
import type { MailChoice } from '../../src/features/webhooks/mail/mail-store.ts';
import { openMail } from '../../src/features/webhooks/mail/open-mail.ts';
import { createSendMail } from '../../src/features/webhooks/mail/send-mail.ts';
import type { Topic } from '../../src/features/webhooks/mail/topics.ts';
import { recordAttempt, takeDeliveries } from '../../src/features/webhooks/take-deliveries.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction, type Queryable } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount } from '../support/accounts.ts';
import { addUser } from '../support/people.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { createWebhookFixture } from './webhook-fixture.ts';

const hooks = await createWebhookFixture();
const { database, outcomes } = hooks;
const server = await startSmtpReceiver();
afterAll(() => server[Symbol.asyncDispose]());
const FROM = 'Waypost <waypost@example.net>';
const sendMail = createSendMail(new Secret(server.url), FROM);
const mail = openMail({ database, newId, master: hooks.options.master });
const ADDRESS = 'ada@example.com';

beforeEach(async () => {
  await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
  server.received.length = 0;
  server.refuse = () => undefined;
  server.vanishes = false;
  outcomes.length = 0;
});

async function deliverMails(sending = sendMail): Promise<number> {
  const due = await takeDeliveries(database, 100, { isMail: true });
  const { signal } = new AbortController();
  await Promise.all(due.map((one) => deliver({ ...hooks.options, sendMail: sending }, one, signal)));
  return due.length;
}
/** The address in the last mail that leads to this path. */
function linkOf(path: string): URL {
  const { text = '' } = server.received.at(-1)!.mail;
  const found = text.match(/https:\/\/\S+/g)?.find((url) => new URL(url).pathname === path);
  return new URL(found ?? expect.fail(`no link to ${path} in ${text}`));
}
const tokenOf = (path: string) => linkOf(path).searchParams.get('token')!;

async function wants(topics: readonly Topic[] = ['dns'], isProven = true) {
  const accountId = await addAccount(database);
  const userId = await addUser(database, accountId);
  const save = (changed: { address?: string; topics?: readonly Topic[] } = {}, asksAgain = false) =>
    mail.save({ accountId, userId, address: ADDRESS, topics, ...changed }, asksAgain, async () => {});
  const choice = await save();
  if (isProven) {
    await deliverMails();
    expect(await mail.proveBy(tokenOf('/auth/mail/confirm'), new Date())).toBe(ADDRESS);
    server.received.length = 0;
  }
  return { accountId, userId, choice, save, read: async () => (await mail.find(accountId, userId))! };
}
const NEED = {
  ...{ domainId: 'domain_1', domain: 'maps.example.com', sitemapName: null },
  ...{ title: 'maps.example.com points to <b>203.0.113.7</b>', detail: 'Correct the record' },
};
const tell = (accountId: string, topic: Topic = 'dns', queryable: Queryable = database) =>
  emitEvent(queryable, accountId, 'need.opened', { kind: 'dns', count: 1, needs: [NEED] }, topic);
const waitingOf = ({ id }: MailChoice) =>
  database.query('SELECT due_at, last_error FROM webhook_deliveries WHERE endpoint_id = $1', [id]);

test('a proof that waits is sent, also if other topics are saved meanwhile', async () => {
  const { save } = await wants(['dns'], false);
  await save({ topics: ['dns', 'robots'] });
  expect(await deliverMails()).toBe(1);
  expect(server.received.map(({ to }) => to)).toEqual([[ADDRESS]]);
  await save({ topics: ['robots'] });
  expect(await deliverMails()).toBe(0);
});

test('an address whose proof came back gets another one when it is saved again', async () => {
  const { read, save } = await wants(['dns'], false);
  server.refuse = () => ({ code: 550, text: '5.1.1 No such user' });
  expect(await deliverMails()).toBe(1);
  expect((await read()).disabledWhy).not.toBeNull();
  server.refuse = () => undefined;
  await save();
  expect(await deliverMails()).toBe(1);
  expect(await mail.proveBy(tokenOf('/auth/mail/confirm'), new Date())).toBe(ADDRESS);
});

test('an event whose transaction ends after a change of the address waits for the proof of the new one', async () => {
  const { accountId, save } = await wants();
  await inTransaction(database, async (transaction) => {
    await tell(accountId, 'dns', transaction);
    await save({ address: 'eve@example.com' });
  });
  await deliverMails();
  await hooks.pass(6);
  await deliverMails();
  expect(server.received.map(({ mail: { subject } }) => subject)).toEqual([
    'Confirm your address for mails of Waypost',
  ]);
  await mail.proveBy(tokenOf('/auth/mail/confirm'), new Date());
  await hooks.pass(360);
  await deliverMails();
  expect(server.received).toHaveLength(2);
});

test('a late refusal of the former address says nothing about a new one', async () => {
  const { accountId, read, save } = await wants();
  await tell(accountId);
  const [taken] = await takeDeliveries(database, 5, { isMail: true });
  await save({ address: 'eve@example.com' });
  await recordAttempt(database, taken!, {
    ...{
      isDelivered: false,
      status: 550,
      error: 'no such user',
      retryMs: undefined,
      isSlow: false,
      isGone: true,
    },
  });
  expect((await read()).disabledWhy).toBeNull();
  expect(await deliverMails()).toBe(1);
  expect(server.received.at(-1)!.to).toEqual(['eve@example.com']);
});

test('an address gets nothing but one proof before its owner has followed the link', async () => {
  const { accountId, read, save } = await wants(['dns'], false);
  await tell(accountId);
  expect(await deliverMails()).toBe(1);
  expect(server.received.map(({ to, mail: { subject } }) => ({ to, subject }))).toEqual([
    { to: [ADDRESS], subject: 'Confirm your address for mails of Waypost' },
  ]);
  expect(server.received[0]!.mail.headers.has('list-unsubscribe')).toBe(false);
  const token = tokenOf('/auth/mail/confirm');
  for (const wrong of ['', 'x', `${token}x`, token.replace(/^webhook_./, 'webhook_!')]) {
    expect(mail.isProofToken(wrong, new Date())).toBe(false);
    expect(await mail.proveBy(wrong, new Date())).toBeUndefined();
  }
  expect((await read()).provenAt).toBeNull();
  await save({}, true);
  expect(await deliverMails()).toBe(1);
  expect(await mail.proveBy(token, new Date())).toBe(ADDRESS);
  await tell(accountId);
  expect(await deliverMails()).toBe(1);
});

test('another address has to be proved again, and gets nothing that waited for the former one', async () => {
  const { accountId, read, save } = await wants();
  await deliverMails();
  const old = await read();
  await tell(accountId);
  await save({ address: 'eve@example.com' });
  expect((await read()).provenAt).toBeNull();
  expect(await deliverMails()).toBe(1);
  expect(server.received.map(({ to, mail: { subject } }) => ({ to, subject }))).toEqual([
    { to: ['eve@example.com'], subject: 'Confirm your address for mails of Waypost' },
  ]);
  const proof = tokenOf('/auth/mail/confirm');
  await save({ address: ADDRESS });
  // The proof of the one address proves no other.
  expect(await mail.proveBy(proof, new Date())).toBeUndefined();
  expect(await read()).toMatchObject({ id: old.id, provenAt: null });
});

test('an account sends ten proofs a day', async () => {
  const { save } = await wants(['dns'], false);
  for (let n = 1; n < 10; n++) await save({ address: `a${n}@example.com` });
  await expect(save({ address: 'b@example.com' })).rejects.toMatchObject({ code: 'CONFLICT' });
  await hooks.pass(86_400);
  await save({ address: 'b@example.com' });
});

test('a mail says what happened, as text and as HTML, and how it ends', async () => {
  const { accountId, choice } = await wants();
  await tell(accountId);
  await deliverMails();
  expect(outcomes.at(-1)).toBe('delivered');
  const [{ to, mail: got }] = server.received as [(typeof server.received)[number]];
  expect(to).toEqual([ADDRESS]);
  expect(got.from?.text).toBe('"Waypost" <waypost@example.net>');
  expect(got.subject).toBe(NEED.title);
  expect(got.messageId).toMatch(new RegExp(`^<event_\\w{22}\\.${choice.id}@example\\.net>$`));
  expect(got.text).toContain(
    `${NEED.title}\n\nCorrect the record\n\nOpen in Waypost: https://waypost.example.net/dashboard/domains/domain_1`,
  );
  expect(got.html).toContain('points to &#60;b&#62;203.0.113.7');
  expect(got.html).not.toMatch(/<(img|script|style|link|iframe)/);
  expect(got.attachments).toEqual([]);
  const stop = linkOf('/auth/mail/stop');
  expect(got.headerLines.find(({ key }) => key === 'list-unsubscribe')!.line.replace(/\s+/g, ' ')).toBe(
    `List-Unsubscribe: <${stop.href}>`,
  );
  expect(got.headers.get('list')).toBeDefined();
  const oneClick = got.headerLines.find(({ key }) => key === 'list-unsubscribe-post')!.line;
  expect(oneClick).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  expect(got.headers.get('auto-submitted')).toBe('auto-generated');

  const token = stop.searchParams.get('token')!;
  expect(await mail.stopBy(`${token}x`)).toBe(false);
  await tell(accountId);
  expect(await mail.stopBy(token)).toBe(true);
  expect(await mail.stopBy(token)).toBe(true);
  await tell(accountId);
  expect(await deliverMails()).toBe(0);
});

test('each person gets the topics that they chose, and nobody the events of webhooks', async () => {
  const { accountId } = await wants(['dns', 'robots']);
  await tell(accountId, 'certificate');
  await emitEvent(database, accountId, 'domain.active', { domainId: 'domain_1', domain: 'maps.example.com' });
  expect(await deliverMails()).toBe(0);
  await tell(accountId, 'robots');
  expect(await deliverMails()).toBe(1);
});

test('thirty mails a day are sent to a person', async () => {
  const { accountId } = await wants();
  for (let n = 0; n < 40; n++) await tell(accountId);
  const { rows } = await database.query('SELECT FROM webhook_deliveries WHERE due_at IS NOT NULL');
  // The proof was one of them.
  expect(rows).toHaveLength(29);
});

describe('a mail server', () => {
  test('that refuses for a while gets the mail again', async () => {
    const { accountId, choice } = await wants();
    server.refuse = () => ({ code: 451, text: '4.7.1 Greylisted' });
    await tell(accountId);
    await deliverMails();
    expect((await waitingOf(choice)).rows).toContainEqual({
      due_at: expect.any(Date),
      last_error: 'The mail server answered 451.',
    });
    server.refuse = () => undefined;
    await hooks.pass(10);
    await deliverMails();
    expect(server.received).toHaveLength(1);
    expect(outcomes.slice(-2)).toEqual(['failed', 'delivered']);
  });

  test.each([
    ['550', '5.1.1 No such user', true],
    ['550', 'No such user', true],
    ['550', 'Unrouteable address', true],
    ['550', '5.1.10 The domain accepts no mail', true],
    ['550', '5.7.1 The sender is not trusted', false],
    // Refusals of the sender, which servers write in answer to RCPT TO.
    [
      '550',
      '5.1.0 <waypost@example.net>: Sender address rejected: User unknown in local recipient table',
      false,
    ],
    ['550', '5.1.8 Access denied, bad outbound sender', false],
    ['550', 'relay not permitted', false],
    ['550', 'Your IP address 192.0.2.1 is on a blocklist', false],
    ['553', 'mailbox full', false],
    ['550', 'Sender verify failed', false],
    ['550', 'Administrative prohibition', false],
    ['553', "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", false],
    ['554', '5.7.1 Spam', false],
  ])('that says %s %s ends the mails of an address only if there is none: %s', async (code, text, ends) => {
    const { accountId, read, save } = await wants();
    server.refuse = () => ({ code: Number(code), text });
    await tell(accountId);
    await deliverMails();
    expect((await read()).disabledWhy).toBe(ends ? `The mail server knows no such address (${code}).` : null);
    expect(outcomes.at(-1)).toBe(ends ? 'disabled' : 'failed');
    if (!ends) return;
    // The person tries again, and proves the address again.
    server.refuse = () => undefined;
    await save();
    await hooks.pass(10);
    expect(await deliverMails()).toBe(1);
    expect(server.received.at(-1)!.mail.subject).toBe('Confirm your address for mails of Waypost');
  });

  test('that vanishes after it took the mail gets it again, with the same id', async () => {
    const { accountId, read } = await wants();
    server.vanishes = true;
    await tell(accountId);
    await deliverMails();
    server.vanishes = false;
    await hooks.pass(10);
    await deliverMails();
    const ids = server.received.map(({ mail: { messageId } }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect((await read()).disabledWhy).toBeNull();
  });

  test.each([
    [
      'is not there',
      'smtps://waypost:secret@127.0.0.1:9/',
      'No answer of the mail server. It cannot be reached.',
    ],
    ['refuses the password', server.url.replace('secret', 'wrong'), 'The mail server answered 535.'],
    [
      'has a certificate of nobody',
      server.url.replace(/\?.*/, ''),
      'No answer of the mail server. It cannot be reached.',
    ],
  ])('that %s delays the mail and ends nothing, for however long', async (_, url, lastError) => {
    const { accountId, choice, read } = await wants();
    await tell(accountId);
    const broken = createSendMail(new Secret(url), FROM);
    for (const seconds of [0, 10, 400, 4 * 86_400, 4 * 86_400]) {
      await hooks.pass(seconds);
      await deliverMails(broken);
    }
    expect((await waitingOf(choice)).rows.map((row) => row.last_error)).toContain(lastError);
    expect((await read()).disabledWhy).toBeNull();
    await hooks.pass(2 * 86_400);
    await deliverMails();
    expect(server.received.map(({ mail: { subject } }) => subject)).toEqual([NEED.title]);
  });
});

test('mails are no webhooks: their ids are unknown there, and webhooks do not wait for them', async () => {
  const { accountId, choice } = await wants();
  await tell(accountId);
  expect(await hooks.deliverDue()).toBe(0);
  const { getOwnEndpoint, listEndpoints } = await import('../../src/features/webhooks/endpoint-store.ts');
  await expect(getOwnEndpoint(database, accountId, choice.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await listEndpoints(database, accountId, 10, undefined)).toEqual([]);
});

test('who leaves the account gets no more mails of it', async () => {
  const { accountId, userId } = await wants();
  await tell(accountId);
  await database.query('DELETE FROM members WHERE account_id = $1 AND user_id = $2', [accountId, userId]);
  expect(await deliverMails()).toBe(0);
});

test('a test event of one endpoint goes to nobody else', async () => {
  const { choice } = await wants();
  await wants();
  await emitToOne(database, choice.id, 'digest.weekly', {
    ...{ urlCount: 2, domainCount: 1, published: 3, refused: 0, needsCount: 1, needs: ['“sale” is late'] },
  });
  expect(await deliverMails()).toBe(1);
  expect(server.received.at(-1)!.mail.text).toContain(
    'Your week: 1 thing needs you\n\n2 URLs in 1 domain\n\nUploads: 3 published, 0 refused\n\n“sale” is late',
  );
});
