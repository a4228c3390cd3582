/**
 * Serves the built files below `/dashboard/assets`, and the document of the pages at every other address below `/dashboard`. The script of
 * the document shows the page of the address.
 */
import { hash } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { fixedAnswer, sendFixed } from '../../core/web/fixed-content.ts';
import { methodNotAllowed, notFound } from '../../core/web/not-found.ts';
import { redirect } from '../../core/web/redirect.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Asset, Assets } from './assets.ts';
import { contentPolicy } from './content-policy.ts';
import type { KeptAssets } from './kept-assets.ts';

/** The Cache-Control of built files. Changed content has another name, so a browser does not ask again. */
const FOREVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** Returns the routes. `assets`: undefined if there is no build. `findKept` finds files of other builds. */
export function pageRoutes(
  assets: Assets | undefined,
  origin: string,
  findKept: KeptAssets['find'] = async () => undefined,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/dashboard/api', notFound);
  const files = new Map(Array.from(assets?.files ?? [], ([name, asset]) => [name, sendAsset(asset)]));
  const sendKept: RequestHandler<{ name: string }> = async (request, response, next) => {
    const kept = await findKept(request.params.name);
    return (kept === undefined ? notFound : sendAsset(kept))(request, response, next);
  };
  router
    .route('/dashboard/assets/:name')
    .get((request, response, next) => (files.get(request.params.name) ?? sendKept)(request, response, next))
    .all(methodNotAllowed('GET', 'HEAD'));
  const page = assets && styledPage(assets);
  const pages = [
    { paths: WITHOUT_BAR, send: page && sendPage({ ...page, html: withoutBar(page.html) }) },
    { paths: ['/dashboard', '/dashboard/{*path}'], send: page && sendPage(page) },
  ];
  for (const { paths, send = notBuilt } of pages) {
    router.route(paths).get(toOneLoopbackName(origin), send).all(methodNotAllowed('GET', 'HEAD'));
  }
  return router;
}

/** The addresses of pages without a bar. Their document has no bar, because the browser shows it before the script runs. */
const WITHOUT_BAR = ['/dashboard/sign-in', '/dashboard/invitation'];

function withoutBar(html: string): string {
  const [before, bar, after] = html.split(/<header|<\/header>/);
  return bar === undefined ? html : `${before}${after}`;
}

const sendAsset = ({ contentType, body }: Asset) =>
  sendFixed({ contentType, body, headers: { 'Cache-Control': FOREVER } });

function sendPage({ html, styleHashes }: StyledPage): RequestHandler {
  return fixedAnswer({
    contentType: 'text/html; charset=utf-8',
    body: html,
    headers: { 'Cache-Control': ASK_AGAIN, 'Content-Security-Policy': contentPolicy(styleHashes) },
  });
}

const notBuilt: RequestHandler = () => {
  throw new Refusal(
    'SERVICE_UNAVAILABLE',
    'The pages of the dashboard have not been built. Run `npm run build:dashboard`, and start the service again.',
  );
};

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Redirects from other names of loopback to the configured one. For a browser, http://localhost:3000 and http://127.0.0.1:3000 are two
 * origins with separate cookies. The browser keeps the fragment behind `#`.
 */
function toOneLoopbackName(origin: string): RequestHandler {
  const ours = new URL(origin);
  return (request, response, next) => {
    const asked = URL.parse(`http://${request.get('host')}`);
    const isOtherName = asked !== null && asked.hostname !== ours.hostname && asked.port === ours.port;
    const isLoopback = [asked?.hostname, ours.hostname].every((name) => LOOPBACK.includes(name ?? ''));
    if (!isOtherName || !isLoopback || ours.protocol !== 'http:') return next();
    const { pathname, search } = new URL(request.originalUrl, ours);
    redirect(response, `${origin}${pathname}${search}`);
  };
}

interface StyledPage {
  readonly html: string;
  /** The SHA-256 of each `<style>`, in base64, for the Content-Security-Policy. */
  readonly styleHashes: readonly string[];
}

/**
 * Writes the stylesheets into the document. On a slow network, a request for a stylesheet takes longer than the transfer of its bytes, and
 * the browser paints nothing before it has the stylesheets. The links stay, but disabled: a script loads each stylesheet that has no link,
 * after the stylesheets of its own page, whose rules then lose against the later rules. A stylesheet with `</` stays a link.
 */
function styledPage({ page, files }: Assets): StyledPage {
  const styleHashes: string[] = [];
  const html = page.toString().replace(/<link rel="stylesheet"([^<>]*)>/g, (link, attributes: string) => {
    const name = /\/assets\/([^"/]+)"/.exec(attributes)?.[1] ?? '';
    const style = files.get(name)?.body.toString();
    if (style === undefined || style.includes('</')) return link;
    styleHashes.push(hash('sha256', style, 'base64'));
    return `<style>${style}</style><link rel="stylesheet" disabled${attributes}>`;
  });
  return { html, styleHashes };
}
