/** The description of the API, for programs and for people (spec D65). Nobody needs a key to read it. */
import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { sendFixed } from '../../web/fixed-content.ts';
import { methodNotAllowed } from '../../web/not-found.ts';
import { buildDocument } from '../openapi/build-document.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { renderReference } from './render-reference.ts';

/** The page runs nothing, and takes nothing from elsewhere. `data:` is its empty icon. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function referenceRoutes(): Router {
  const document = buildDocument(OPERATIONS);
  const page = renderReference(document, 'docs/reference.css', 'openapi.json');
  const style = readFileSync(new URL('./reference.css', import.meta.url), 'utf8');
  const router = Router({ caseSensitive: true, strict: true });

  const contents = {
    '/api/openapi.json': { contentType: 'application/json; charset=utf-8', body: JSON.stringify(document) },
    '/api/docs': {
      contentType: 'text/html; charset=utf-8',
      body: page,
      headers: { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' },
    },
    '/api/docs/reference.css': { contentType: 'text/css; charset=utf-8', body: style },
  };
  for (const [path, content] of Object.entries(contents)) {
    router.route(path).get(sendFixed(content)).all(methodNotAllowed('GET', 'HEAD'));
  }
  return router;
}
