/** Sends mails by the SMTP server of the operator. */
import { createTransport } from 'nodemailer';
import { withinDeadline } from '../../../platform/concurrency/deadline.ts';
import type { Secret } from '../../../platform/secret.ts';
import type { Mail } from './compose-mail.ts';

export type SendMail = (mail: Mail) => Promise<SentMail>;

interface SentMail {
  readonly isSent: boolean;
  /** The code of the server's answer (RFC 5321, section 4.2). Null: there was no answer. */
  readonly code: number | null;
  /** The fault, for people; null if the mail is sent. */
  readonly error: string | null;
  /** Whether the server says that there is no such address. */
  readonly isGone: boolean;
}

/** The time limit of one step. */
const STEP_MS = 10_000;
/** The time limit of all steps together. It is shorter than the lease of an endpoint, which is 60 s. */
const ALL_MS = 45_000;

/**
 * Creates the function that sends mails. `url`: as in smtps://user:password@mail.example.net. `from`: as in Waypost <waypost@example.net>.
 */
export function createSendMail(url: Secret, from: string): SendMail {
  const { hostname, password } = new URL(url.reveal());
  const isOwnMachine = hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]';
  const transport = createTransport({
    url: url.reveal(),
    // A password never goes through a network in the clear.
    requireTLS: password !== '' && !isOwnMachine,
    ...{
      connectionTimeout: STEP_MS,
      greetingTimeout: STEP_MS,
      socketTimeout: STEP_MS,
      dnsTimeout: STEP_MS / 2,
    },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const host = from.slice(from.lastIndexOf('@') + 1).replace('>', '');
  return async ({ to, subject, text, html, id, stopUrl }) => {
    const sending = transport.sendMail({
      // As an object, the address is taken as it is. As a text, it could be read as a list, a group or a name.
      ...{ from, to: { name: '', address: to }, subject, text, html },
      messageId: `<${id}@${host}>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        ...(stopUrl !== null && {
          'List-Unsubscribe': `<${stopUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
    });
    try {
      await withinDeadline(sending, ALL_MS);
      return { isSent: true, code: 250, error: null, isGone: false };
    } catch (error) {
      return failureOf(error as SmtpError);
    }
  };
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** The text of the server may name other people's addresses, so only its code is shown. */
function failureOf({ code, command, responseCode, response = '' }: SmtpError): SentMail {
  if (responseCode === undefined) {
    const why = code === 'ETIMEDOUT' ? 'It did not answer in time' : 'It cannot be reached';
    return { isSent: false, code: null, error: `No answer of the mail server. ${why}.`, isGone: false };
  }
  const isGone = command === 'RCPT TO' && /^55[013]/.test(response) && saysNoSuchAddress(response);
  const error = isGone
    ? `The mail server knows no such address (${responseCode}).`
    : `The mail server answered ${responseCode}.`;
  return { isSent: false, code: responseCode, error, isGone };
}

/** A status code (RFC 3463) at any place of an answer: some servers write it at the end. */
const STATUS = /(?<![\d.])5\.\d{1,3}\.\d{1,3}(?![\d.])/;
/** The codes of a wrong address of the recipient. 5.1.7 and 5.1.8 are about the sender, and 5.1.0 about either. */
const WRONG_ADDRESS = /^5\.1\.(?:[1-6]|10)$/;
const NAMES_ADDRESS = /user|mailbox|recipient|address|account|unknown|unrout|no such/i;
const NAMES_OTHER = /sender|relay|authenti|\bIP\b|block|spam|SPF|DKIM|DMARC|reputation|polic|full|quota/i;

/**
 * Returns whether a refusal of a recipient says that there is no such address. At this step, many servers refuse the sender, or say that
 * they do not relay for us. That must not end the mails of all people. Some servers write no status code. Then the words decide.
 */
function saysNoSuchAddress(response: string): boolean {
  const [status] = STATUS.exec(response) ?? [];
  if (status !== undefined) return WRONG_ADDRESS.test(status);
  return NAMES_ADDRESS.test(response) && !NAMES_OTHER.test(response);
}
