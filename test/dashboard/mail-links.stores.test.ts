/** The links of mails over HTTP: an address is confirmed by a button, and mails end by one click of a mail program (RFC 8058). */
import { expect, test } from 'vitest';
import { proofToken, stopToken } from '../../src/features/webhooks/mail/mail-token.ts';
import { openMail } from '../../src/features/webhooks/mail/open-mail.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount } from '../support/accounts.ts';
import { addUser } from '../support/people.ts';
import { runDashboard } from './running-dashboard.ts';

const SECRET = 'for tests'.padEnd(32, '.');
const { database, ask, askWith, url } = await runDashboard({
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'waypost@example.net',
});
const master = new Secret(SECRET);
const mail = openMail({ database, newId, master });
const ADDRESS = 'ada@example.com';
const LINK = '/auth/mail/';
const FROM_OURS = { 'Sec-Fetch-Site': 'same-origin', Origin: url };

async function wants(address = ADDRESS) {
  const accountId = await addAccount(database);
  const userId = await addUser(database, accountId);
  const { id } = await mail.save({ accountId, userId, address, topics: ['dns'] }, false, async () => {});
  const read = () => mail.find(accountId, userId);
  return { id, read, stop: `${LINK}stop?token=${stopToken(master, id)}` };
}
const proofOf = (id: string, at = new Date(), address = ADDRESS) =>
  `${LINK}confirm?token=${proofToken(master, id, address, at)}`;

test('an address is confirmed by the button of a page of ours; the link alone changes nothing', async () => {
  const { id, read } = await wants();
  const path = proofOf(id);
  const asked = await ask(`GET ${path}`);
  expect({ status: asked.status, type: asked.headers.get('content-type') }).toMatchObject({ status: 200 });
  expect(asked.text).toContain('Confirm this address</button></form>');
  expect((await ask(`POST ${path}`, { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(403);
  expect((await read())!.provenAt).toBeNull();
  const done = await ask(`POST ${path}`, { headers: FROM_OURS });
  expect({ status: done.status, text: done.text }).toMatchObject({
    status: 200,
    text: expect.stringContaining(`go to ${ADDRESS}`),
  });
  expect((await read())!.provenAt).not.toBeNull();
  // A second click finds it done.
  expect((await ask(`POST ${path}`, { headers: FROM_OURS })).status).toBe(200);
});

test('a token that is broken, old, of another address or of another use is told, and does nothing', async () => {
  const { id, read, stop } = await wants();
  const old = proofOf(id, new Date(Date.now() - 49 * 3_600_000));
  const swapped = stop.replace(`${LINK}stop`, `${LINK}confirm`);
  for (const path of [`${proofOf(id)}x`, `${LINK}confirm`, old, swapped]) {
    for (const method of ['GET', 'POST']) {
      const { status, text } = await ask(`${method} ${path}`, { headers: FROM_OURS });
      expect({ path, status, text }).toMatchObject({
        status: 404,
        text: expect.stringContaining('It is not whole, or it has ended.'),
      });
    }
  }
  const other = await ask(`POST ${proofOf(id, new Date(), 'eve@example.com')}`, { headers: FROM_OURS });
  expect(other.status).toBe(404);
  expect((await read())!.provenAt).toBeNull();
  for (const path of [`${stop}x`, `${LINK}stop`, proofOf(id).replace(`${LINK}confirm`, `${LINK}stop`)]) {
    expect((await ask(`POST ${path}`)).status).toBe(404);
  }
  expect(await read()).toBeDefined();
});

test('mails end by one click of a mail program: a POST of another site, without a cookie', async () => {
  const { read, stop } = await wants();
  const page = await ask(`GET ${stop}`);
  expect(page.text).toContain('Stop these mails</button></form>');
  expect(await read()).toBeDefined();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'cross-site' };
  const oneClick = () =>
    fetch(`${url}${stop}`, {
      method: 'POST',
      headers,
      body: 'List-Unsubscribe=One-Click',
      redirect: 'manual',
    });
  // RFC 8058, section 3.1: the answer is no redirect. Mail programs may send it twice.
  for (const time of [1, 2]) {
    const { status, headers: answered } = await oneClick();
    expect({ time, status, cookies: answered.getSetCookie() }).toEqual({ time, status: 200, cookies: [] });
  }
  expect(await read()).toBeUndefined();
});

test('the links do nothing else: no session comes of them, and other methods are refused', async () => {
  const { id, stop } = await wants();
  for (const path of [stop, proofOf(id)]) {
    const answered = await ask(`GET ${path}`);
    expect(answered.headers.getSetCookie()).toEqual([]);
    expect(answered.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await askWith('')(`DELETE ${path}`)).status).toBe(405);
  }
});
