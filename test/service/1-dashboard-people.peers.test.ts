/** D38: an invitation, roles, and the ends of sessions, with two people in two browsers. */
import { describe, expect, test } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { card, heading, signInByProvider, useDashboardWithProvider } from './support/dashboard.ts';

const OWNER = { sub: 'o', name: 'Olga Großmann', email: 'olga@example.net', email_verified: true };
const GUEST = { sub: 'g', name: '花子 <b>', email: 'hanako@example.net', email_verified: true };

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const { waypost, provider } = await useDashboardWithProvider();
  const { visit } = await useChromium();
  const open = (tab: string) => `${waypost.apiUrl}/dashboard/settings/${tab}`;

  test('an invited person joins, does what a member may, and is out as soon as she is removed', async () => {
    const owner = await visit();
    provider.person = OWNER;
    await signInByProvider(owner, waypost);
    await owner.goto(open('members'));
    await owner.getByRole('button', { name: 'Invite' }).click();
    await owner.getByLabel('Note').fill('Für das SEO-Team 東京');
    await owner.getByRole('button', { name: 'Create link' }).click();
    const shown = owner.getByRole('dialog', { name: 'Send this link' });
    const link = (await shown.locator('.copyable code').textContent())!;
    const mail = await shown.getByRole('link', { name: 'Write an email with it' }).getAttribute('href');
    expect(new URL(mail!).searchParams.get('body')).toContain(link);
    expect(await accessibilityProblems(owner)).toEqual([]);
    await shown.getByRole('button', { name: 'Done' }).click();
    await owner.getByText('Für das SEO-Team 東京').waitFor();

    const guest = await visit();
    provider.person = GUEST;
    await guest.goto(link);
    await guest.getByText('You are invited to the account Olga Großmann as a member.').waitFor();
    expect(guest.url()).not.toContain('#');
    await guest.getByRole('link', { name: 'Continue with Acme' }).click();
    await heading(guest, 'Overview').waitFor();
    await guest.getByRole('link', { name: 'Olga Großmann' }).waitFor();
    await guest.goto(open('members'));
    await guest.getByRole('row', { name: /花子 <b> \(you\)/ }).waitFor();
    await guest.getByText('To invite somebody, ask an owner: Olga Großmann.').waitFor();
    expect(await guest.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(await guest.getByRole('button', { name: /^Change role/ }).count()).toBe(0);
    await guest.goto(open('keys'));
    await guest.getByRole('button', { name: 'Create key' }).waitFor();

    // The link works once.
    const late = await visit();
    await late.goto(link);
    await late.getByText('This invitation was used or revoked, or it is too old.').waitFor();
    expect(await accessibilityProblems(late)).toEqual([]);
    await late.getByRole('link', { name: 'Go to the dashboard' }).click();
    await heading(late, 'Sign in').waitFor();

    await owner.reload();
    await owner.getByRole('button', { name: 'Change role of 花子 <b>' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: /owner/i }).click();
    const row = owner.getByRole('row', { name: /花子/ });
    await row.getByText('Owner', { exact: true }).waitFor();
    await owner.getByRole('button', { name: 'Remove 花子 <b>' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await guest.goto(open('plan'));
    await heading(guest, 'Sign in').waitFor();

    await owner.goto(open('audit'));
    await owner
      .getByText(/花子 <b>/)
      .first()
      .waitFor();
  });

  test('an owner names the account, and who leaves an account is told so', async () => {
    const owner = await visit();
    provider.person = { ...OWNER, sub: 'n', name: 'Nora' };
    await signInByProvider(owner, waypost);
    await owner.goto(open('plan'));
    await card(owner, 'Account').getByRole('button', { name: 'Rename' }).click();
    const dialog = owner.getByRole('dialog', { name: 'Rename the account' });
    await dialog.getByLabel('Name').fill('  Nora & Söhne 東京 ');
    expect(await accessibilityProblems(owner)).toEqual([]);
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.waitFor({ state: 'detached' });
    await owner.getByRole('link', { name: 'Nora & Söhne 東京' }).waitFor();
    await owner.goto(open('audit'));
    await owner.getByText('Renamed the account from “Nora” to “Nora & Söhne 東京”').waitFor();
    await owner.goto(open('members'));
    await owner.getByRole('button', { name: 'Invite' }).click();
    await owner.getByRole('button', { name: 'Create link' }).click();
    const link = await owner.getByRole('dialog').locator('.copyable code').textContent();

    const guest = await visit();
    provider.person = { ...GUEST, sub: 'm', name: 'Mia' };
    await guest.goto(link!);
    await guest.getByText('You are invited to the account Nora & Söhne 東京 as a member.').waitFor();
    await guest.getByRole('link', { name: 'Continue with Acme' }).click();
    await heading(guest, 'Overview').waitFor();
    await guest.goto(open('plan'));
    await card(guest, 'Account').getByText('Nora & Söhne 東京').waitFor();
    expect(await guest.getByRole('button', { name: 'Rename' }).count()).toBe(0);
    await guest.goto(open('members'));
    await guest.getByRole('button', { name: 'Leave this account' }).click();
    await guest.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await guest.getByText('You have left the account, and are signed out.').waitFor();
    expect(await guest.getByText('Nora & Söhne 東京').count()).toBe(0);
  });

  test('a tab changes nothing in an account that another tab has switched to', async () => {
    const owner = await visit();
    provider.person = OWNER;
    await signInByProvider(owner, waypost);
    await owner.goto(open('members'));
    await owner.getByRole('button', { name: 'Invite' }).click();
    await owner.getByRole('button', { name: 'Create link' }).click();
    const link = await owner.getByRole('dialog').locator('.copyable code').textContent();

    const tab = await visit();
    provider.person = { ...GUEST, sub: 'h', name: 'Hana' };
    await signInByProvider(tab, waypost);
    await tab.goto(open('keys'));
    await tab.getByRole('button', { name: 'Create key' }).click();
    const other = await tab.context().newPage();
    await other.goto(link!);
    await other.getByRole('button', { name: 'Join Olga Großmann' }).click();
    await heading(other, 'Overview').waitFor();

    await tab.getByRole('dialog').getByLabel('Name').fill('for Hana');
    await tab.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await heading(tab, 'You have switched to another account').waitFor();
    await tab.getByRole('link', { name: 'Go on with Olga Großmann' }).click();
    await heading(tab, 'Overview').waitFor();
    await tab.goto(open('keys'));
    await tab.getByRole('button', { name: 'Create key' }).waitFor();
    expect(await tab.getByText('for Hana').count()).toBe(0);
  });

  test('signing out everywhere ends the sessions of all browsers, here and there', async () => {
    provider.person = OWNER;
    const [here, there] = [await visit(), await visit()];
    await signInByProvider(there, waypost);
    await signInByProvider(here, waypost);
    await here.goto(open('you'));
    await card(here, 'Where you are signed in').getByText('This one').waitFor();
    await here.getByRole('button', { name: 'Sign out everywhere' }).click();
    await heading(here, 'Sign in').waitFor();
    await here.getByText("You're signed out.").waitFor();
    await there.reload();
    await heading(there, 'Sign in').waitFor();
  });

  test('signing out ends the session at the provider, too', async () => {
    const page = await visit();
    await signInByProvider(page, waypost);
    await page.getByRole('button', { name: /^You, / }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    // The provider asks, and comes back.
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading(page, 'Sign in').waitFor();
    expect(provider.paths).toContain('/session/end/confirm');
    await page.goto(`${waypost.apiUrl}/dashboard`);
    await heading(page, 'Sign in').waitFor();
  });
});
