/**
 * Makes a mail of a delivery: plain text and simple HTML, without images, styles or other content by which a sender sees who reads the
 * mail.
 */
import { html } from '../../../platform/html.ts';
import type { Secret } from '../../../platform/secret.ts';
import type { TakenDelivery } from '../delivery.ts';
import { messageOf } from '../messages/message-of.ts';
import { proofToken, stopToken } from './mail-token.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The id of the mail. Each attempt has the same id, so that receivers recognize a repetition. */
  readonly id: string;
  /** A request to this address ends these mails, without a session (RFC 8058). Null for the proof of an address. */
  readonly stopUrl: string | null;
}

type Delivery = Pick<TakenDelivery, 'endpointId' | 'eventId' | 'url' | 'type' | 'data' | 'now'>;

/** Composes the mail of a delivery. `origin`: the origin of the dashboard. */
export function composeMail(delivery: Delivery, master: Secret, origin: string): Mail {
  const { endpointId, eventId, url: address, type, data, now } = delivery;
  const message = messageOf(type, JSON.parse(data), origin);
  const common = { to: address, subject: message.title, id: `${eventId}.${endpointId}` };
  if (type === 'mail.proof') {
    const token = proofToken(master, endpointId, address, now);
    const link = `${origin}/auth/mail/confirm?token=${token}`;
    const foot = 'If you did not ask for this, do nothing: you get no other mail.';
    return { ...common, ...written(message, { link, word: 'Confirm this address' }, [foot]), stopUrl: null };
  }
  const stopUrl = `${origin}/auth/mail/stop?token=${stopToken(master, endpointId)}`;
  const foot = [
    `You get this because you chose it: ${origin}/dashboard/settings/notifications`,
    `Get no more of these mails: ${stopUrl}`,
  ];
  const link = message.url ?? `${origin}/dashboard`;
  return { ...common, ...written(message, { link, word: 'Open in Waypost' }, foot), stopUrl };
}

function written(
  { title, lines }: { readonly title: string; readonly lines: readonly string[] },
  { link, word }: { readonly link: string; readonly word: string },
  foot: readonly string[],
): Pick<Mail, 'text' | 'html'> {
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<h2>${title}</h2>
${lines.map((line) => html`<p>${line}</p>\n`)}
<p><a href="${link}">${word}</a></p>
<hr>
${foot.map((line) => html`<p><small>${line}</small></p>\n`)}
</body>
</html>`;
  return {
    text: [title, ...lines, `${word}: ${link}`, ['-- ', ...foot].join('\n')].join('\n\n'),
    html: body.text,
  };
}
