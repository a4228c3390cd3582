/**
 * Renders the description of the API as one HTML page, without JavaScript: its content security policy allows no inline
 * script and no inline style (docs/decisions/0032).
 */

import { type Html, html } from '../../../platform/html.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { paragraphs, sentence } from './html.ts';
import { address, type PlacedOperation, renderOperation } from './render-operation.ts';
import { renderMembers } from './render-schema.ts';

/** Renders the page. `styleAddress` and `documentAddress` are relative to the page. */
export function renderReference(
  document: OpenApiDocument,
  styleAddress: string,
  documentAddress: string,
): string {
  const { info, tags } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="stylesheet" href="${styleAddress}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="title">${info.title} API <span>${info.version}</span></p></header>
<nav aria-label="Contents">${tags.map(({ name }) => renderContents(document, name))}</nav>
<main id="content">
<h1>${info.title} API</h1>
${paragraphs(info.description)}
<p>The same for programs: <a href="${documentAddress}">OpenAPI ${document.openapi}</a>.</p>
${renderKeys(document)}
${tags.map(({ name, description }) => renderTag(document, name, description))}
${renderShapes(document)}
${renderErrors(document)}
</main>
</body>
</html>
`.text;
}

function operationsOf({ paths }: OpenApiDocument, tag: string): readonly PlacedOperation[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    )
    .filter(({ operation }) => operation.tags.includes(tag));
}

function renderContents(document: OpenApiDocument, tag: string): Html {
  const links = operationsOf(document, tag).map((placed) => html`<li>${address(placed)}</li>\n`);
  return html`<p><a href="#${anchorOf(tag)}">${tag}</a></p>\n<ul>${links}</ul>\n`;
}

function renderTag(document: OpenApiDocument, tag: string, description: string): Html {
  return html`<h2 id="${anchorOf(tag)}">${tag}</h2>
<p>${sentence(description)}</p>
${operationsOf(document, tag).map((placed) => renderOperation(document, placed))}`;
}

function anchorOf(tag: string): string {
  return `about-${tag.toLowerCase().replaceAll(' ', '-')}`;
}

function renderKeys({ components }: OpenApiDocument): Html {
  const { ApiKey } = components.securitySchemes as { ApiKey: { description: string } };
  return html`<h2 id="keys">Keys</h2>
<p>Send your key in <code>X-API-Key</code>, or in <code>Authorization</code> after <code>Bearer</code>. ${sentence(ApiKey.description)}
Keys belong on servers: do not put one into a web page.</p>
`;
}

function renderShapes({ components }: OpenApiDocument): Html {
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => html`<h3 id="shape-${name}">${name}</h3>
${schema.description !== undefined && html`<p>${sentence(schema.description)}</p>`}
${renderMembers(schema)}
`,
  );
  return html`<h2 id="shapes">Shapes</h2>\n${shapes}`;
}

function renderErrors({ components }: OpenApiDocument): Html {
  const errors = Object.entries(components.responses).map(
    ([
      code,
      { description, content },
    ]) => html`<h3 id="error-${code}">${code === 'Other' ? 'Other errors' : html`<code>${code}</code>`}</h3>
<p>${sentence(description)}</p>
${Object.values(content ?? {}).map(({ schema }) => renderMembers(schema))}
`,
  );
  return html`<h2 id="errors">Errors</h2>\n${errors}`;
}
