/** Spec D38: a person proves an address, chooses what to hear of, and ends it; a team's chat gets a message of its own. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { isHere, needs } from '../support/needs.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { SOON } from '../support/soon.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { accessibilityProblems, useChromium } from './support/chromium.ts';
import { heading, printedLink, signInByLink, useDashboard } from './support/dashboard.ts';

describe('spec D38 in Chromium', needs('chromium'), async () => {
  if (!isHere('chromium')) return;
  const [smtp, chat] = [await startSmtpReceiver(), await startWebhookReceiver()];
  afterAll(() => Promise.all([smtp[Symbol.asyncDispose](), chat[Symbol.asyncDispose]()]));
  const waypost = await useDashboard({
    ...{ SMTP_URL: smtp.url, MAIL_FROM: 'Waypost <waypost@example.net>' },
    ...{ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8', WEBHOOK_SECRET: 'for tests'.padEnd(32, '.') },
  });
  const { visit } = await useChromium();
  let storageState: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;
  /** Signs in once. */
  const open = async (tab: string) => {
    const page = await visit({
      viewport: { width: 390, height: 844 },
      ...(storageState && { storageState }),
    });
    if (storageState === undefined) {
      await signInByLink(page, await printedLink(waypost));
      storageState = await page.context().storageState();
    }
    await page.goto(`${waypost.apiUrl}/dashboard/settings/${tab}`);
    return { page, isAccessible: async () => expect(await accessibilityProblems(page)).toEqual([]) };
  };

  test('an address is proved by a link, and hears of what its owner chose until that ends', async () => {
    const { page, isAccessible } = await open('notifications');
    await heading(page, 'Notifications').waitFor();
    const email = page.getByRole('textbox', { name: 'Email' });
    // All but the weekly digest.
    const topics = page.getByRole('group', { name: 'Tell me about' }).getByRole('checkbox');
    await topics.first().waitFor();
    expect(await checked(topics)).toBe((await topics.count()) - 1);
    await isAccessible();

    await email.fill('ada@example.com');
    await page.getByLabel('A certificate').uncheck();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('We sent an email to ada@example.com.').waitFor();
    await isAccessible();
    await vi.waitFor(() => expect(smtp.received).toHaveLength(1), SOON);
    const [{ to, mail }] = smtp.received as [(typeof smtp.received)[number]];
    expect(to).toEqual(['ada@example.com']);
    await page.goto(mail.text!.match(/https?:\/\/\S+\/auth\/mail\/confirm\S+/)![0]);
    await isAccessible();
    await page.getByRole('button', { name: 'Confirm this address' }).click();
    await heading(page, 'Your address is confirmed').waitFor();
    await isAccessible();

    await page.getByRole('link', { name: 'Go to Notifications' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await email.inputValue()).toBe('ada@example.com');
    expect(await checked(topics)).toBe((await topics.count()) - 2);
    expect(await page.getByText('We sent an email').count()).toBe(0);
    await isAccessible();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
  });

  test.each([
    ['Slack', 'blocks'],
    ['Microsoft Teams', 'attachments'],
    ['Discord', 'embeds'],
    ['Google Chat', 'cardsV2'],
  ])('a webhook for %s sends a test in its format', async (format, member) => {
    chat.received.length = 0;
    const { page, isAccessible } = await open('webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${chat.url}/${member}`);
    await dialog.getByLabel('Format').selectOption({ label: format });
    await isAccessible();
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByRole('button', { name: /stored/ }).click();
    const card = page.getByRole('region', { name: `${chat.url}/${member}` });
    await card.getByText(format).waitFor();
    await card.getByRole('button', { name: 'Send a test' }).click();
    await vi.waitFor(() => expect(chat.received).toHaveLength(1), SOON);
    expect(chat.received[0]!.path).toBe(`/${member}`);
    expect(JSON.parse(chat.received[0]!.body)).toHaveProperty(member);
    await card.getByText('Deliveries').click();
    await card.getByText('Delivered (204)').waitFor();
    await isAccessible();
  });
});

async function checked(boxes: ReturnType<Page['getByRole']>): Promise<number> {
  return boxes.evaluateAll(
    (all) => all.filter((each) => (each as unknown as { checked: boolean }).checked).length,
  );
}
