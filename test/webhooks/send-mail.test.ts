/** Mails by `smtp://`: a password and a mail go through TLS, by STARTTLS, or not at all. */
import { expect, test } from 'vitest';
import { createSendMail } from '../../src/features/webhooks/mail/send-mail.ts';
import { Secret } from '../../src/platform/secret.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';

const MAIL = {
  ...{
    to: 'ada@example.com',
    subject: 'DNS',
    text: 'Look.',
    html: '<p>Look.</p>',
    id: 'event_1',
    stopUrl: null,
  },
};
const sendBy = (url: string) => createSendMail(new Secret(url), 'waypost@example.net')(MAIL);

test('STARTTLS makes the connection secure before the password and the mail', async () => {
  await using server = await startSmtpReceiver('by STARTTLS');
  expect(await sendBy(server.url)).toMatchObject({ isSent: true, error: null });
  expect(server.passwords).toEqual(['secret']);
  expect(server.received).toMatchObject([{ to: [MAIL.to], isSecure: true }]);
});

test('a server of another machine without STARTTLS gets no password', async () => {
  await using server = await startSmtpReceiver('none');
  expect(await sendBy(server.url)).toMatchObject({ isSent: false });
  expect({ passwords: server.passwords, received: server.received }).toEqual({ passwords: [], received: [] });
  // Without a password, such a server gets the mail. It wants one here, but answers.
  expect(await sendBy(server.url.replace('waypost:secret@', ''))).toMatchObject({ isSent: false, code: 530 });
});

test('on this machine a password needs no TLS', async () => {
  await using server = await startSmtpReceiver('none');
  expect(await sendBy(server.url.replace('0.0.0.0', '127.0.0.1'))).toMatchObject({ isSent: true });
  expect(server.received).toMatchObject([{ isSecure: false }]);
});

test('a certificate that nobody vouches for gets no password', async () => {
  await using server = await startSmtpReceiver('by STARTTLS');
  const strict = server.url.replace('?tls.rejectUnauthorized=false', '');
  expect(await sendBy(strict)).toMatchObject({ isSent: false, code: null });
  expect(server.passwords).toEqual([]);
});
