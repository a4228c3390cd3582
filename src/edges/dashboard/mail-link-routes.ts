/**
 * The addresses of links in mails. They need no session, because the link has a token. A GET changes nothing, because mail scanners follow
 * links. So the page has a button. Mail programs stop mails by a POST of their own (RFC 8058, section 3.2), which comes from another site
 * and has no cookie.
 */
import type { RequestHandler, Response, Router } from 'express';
import { queryText } from '../../core/web/query-text.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { MailRoom } from '../../features/webhooks/mail/open-mail.ts';
import { Html, html } from '../../platform/html.ts';
import { requireSameOrigin } from './same-origin.ts';

export interface MailLinkRoutesOptions {
  readonly mail: Pick<MailRoom, 'isStopToken' | 'stopBy' | 'isProofToken' | 'proveBy'>;
  /** The origin of the dashboard. */
  readonly origin: string;
  readonly now: () => Date;
}

interface Page {
  readonly title: string;
  readonly body: Html;
}

const SETTINGS = '/dashboard/settings/notifications';
const WRONG: Page = {
  title: "This link doesn't work",
  body: html`<p>It is not whole, or it has ended. <a href="${SETTINGS}">Go to Notifications</a> for another one.</p>`,
};

/** `document`: the built page of the dashboard. The pages of these routes use the stylesheets and the icon of the document. */
export function mailLinkRoutes(
  { mail, origin, now }: MailLinkRoutesOptions,
  document: Buffer | undefined,
): Router {
  const looks = looksOf(document);
  const send = (response: Response, status: number, page: Page) =>
    response.status(status).type('html').send(written(page, looks).text);
  const route = (
    isToken: (token: string) => boolean,
    {
      isOnlyOurs = false,
      ...question
    }: { readonly title: string; readonly verb: string; readonly isOnlyOurs?: boolean },
    act: (token: string) => Promise<Page | undefined>,
  ) => {
    const get: RequestHandler = (request, response) => {
      if (!isToken(queryText(request.query, 'token') ?? '')) return send(response, 404, WRONG);
      // A form without an `action` posts to the address of its page. That address has the token.
      const body = html`<form method="post"><button class="primary">${question.verb}</button></form>`;
      send(response, 200, { title: question.title, body });
    };
    const post: RequestHandler = async (request, response) => {
      if (isOnlyOurs) requireSameOrigin(request, origin);
      const page = await act(queryText(request.query, 'token') ?? '');
      send(response, page === undefined ? 404 : 200, page ?? WRONG);
    };
    return { get, post };
  };
  const stop = route(
    mail.isStopToken,
    { title: 'Get no more of these mails?', verb: 'Stop these mails' },
    async (token) =>
      (await mail.stopBy(token))
        ? {
            title: 'You get no more of these mails',
            body: html`<p>To get some again, <a href="${SETTINGS}">go to Notifications</a>.</p>`,
          }
        : undefined,
  );
  const confirm = route(
    (token) => mail.isProofToken(token, now()),
    { title: 'Get mails of Waypost at this address?', verb: 'Confirm this address', isOnlyOurs: true },
    async (token) => {
      const address = await mail.proveBy(token, now());
      if (address === undefined) return undefined;
      const title = 'Your address is confirmed';
      return {
        title,
        body: html`<p>Mails go to ${address}. <a href="${SETTINGS}">Go to Notifications</a></p>`,
      };
    },
  );
  return routesOf({ '/auth/mail/stop': stop, '/auth/mail/confirm': confirm });
}

/** Copies the links to styles and icon, whose names change with each build. */
function looksOf(document: Buffer | undefined): Html {
  const links = document?.toString().match(/<link rel="(?:icon|stylesheet)"[^<>]*>/g) ?? [];
  return new Html(links.join(''));
}

function written({ title, body }: Page, looks: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex"><title>${title} · Waypost</title>${looks}</head>
<body><main class="alone"><p class="brand">Waypost</p><h1>${title}</h1>${body}</main></body>
</html>`;
}
