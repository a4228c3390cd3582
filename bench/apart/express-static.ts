/**
 * A common peer, `express-static.ts <folder> <port>`: express.static with the headers of sitemaps. It has no `gzip_static`, so clients ask
 * for `<file>.xml.gz` and get the same bytes as from the other servers. This favours express.static: it rewrites no request, and it does
 * not compress each answer as the common `compression` middleware does.
 */
import express from 'express';

const [folder, port] = process.argv.slice(2) as [string, string];

const app = express();
app.disable('x-powered-by');
app.use(
  express.static(folder, {
    cacheControl: false,
    setHeaders: (response) => {
      response.setHeader('Content-Type', 'application/xml; charset=utf-8');
      response.setHeader('Content-Encoding', 'gzip');
      response.setHeader('Vary', 'Accept-Encoding');
      response.setHeader('Cache-Control', 'public, max-age=60, stale-if-error=600');
      response.setHeader('X-Robots-Tag', 'noindex');
      response.setHeader('X-Content-Type-Options', 'nosniff');
    },
  }),
);
app.listen(Number(port), '127.0.0.1');
