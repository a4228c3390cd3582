/** Routes of the API's description, as a document and as a page (spec D65). They need no key. */
import { readFileSync } from 'node:fs';
import type { Router } from 'express';
import { sendFixed } from '../../../core/web/fixed-content.ts';
import { routesOf } from '../../../core/web/routes-of.ts';
import { buildDocument } from '../openapi/build-document.ts';
import { OPERATIONS } from '../operations.ts';
import { DESCRIPTION_PATH } from './reference-operations.ts';
import { renderReference } from './render-reference.ts';

/** The content security policy: the page runs no script, and loads nothing foreign. `data:` is its empty icon. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function referenceRoutes(): Router {
  const document = buildDocument(OPERATIONS);
  const page = renderReference(document, 'docs/reference.css', 'openapi.json');
  const style = readFileSync(new URL('./reference.css', import.meta.url), 'utf8');
  const contents = {
    [DESCRIPTION_PATH]: { contentType: 'application/json; charset=utf-8', body: JSON.stringify(document) },
    '/api/docs': {
      contentType: 'text/html; charset=utf-8',
      body: page,
      headers: { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' },
    },
    '/api/docs/reference.css': { contentType: 'text/css; charset=utf-8', body: style },
  };
  return routesOf(
    Object.fromEntries(
      Object.entries(contents).map(([path, content]) => [path, { get: sendFixed(content) }]),
    ),
  );
}
