/** Renders an operation as a section of the page: the request, the answer, and an example of each. */

import { type Html, html } from '../../../platform/html.ts';
import type {
  MediaType,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from '../openapi/document.ts';
import { paragraphs, sentence } from './html.ts';
import { renderMembers } from './render-schema.ts';

export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function renderOperation({ components }: OpenApiDocument, placed: PlacedOperation): Html {
  const { operationId, summary, description = '', requestBody, parameters, security } = placed.operation;
  return html`<section aria-labelledby="${operationId}">
<h3 id="${operationId}">${address(placed)}</h3>
${paragraphs(`${summary}.`)}${description !== '' && paragraphs(description)}
${security !== undefined && html`<p>It needs no key.</p>`}
${renderParameters(parameters)}
${requestBody && renderContents('Body', requestBody.content)}
<h4>Request</h4>
<pre><code>${curlOf(placed)}</code></pre>
${renderAnswers(placed.operation, components)}
</section>
`;
}

/** Renders method and path as a link to the operation's section. The list and the heading share it. */
export function address({ method, path, operation }: PlacedOperation): Html {
  return html`<a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></a>`;
}

function renderParameters(parameters: readonly ParameterObject[]): Html | undefined {
  if (parameters.length === 0) return undefined;
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
  );
  const places = parameters.map(({ name, in: place }) => [name, place] as const);
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const inPlace = (wanted: string) =>
    Object.fromEntries(
      places.filter(([, place]) => place === wanted).map(([name]) => [name, properties[name]!]),
    );
  return html`${(['path', 'query', 'header'] as const).map((place) => {
    const members = inPlace(place);
    return (
      Object.keys(members).length > 0 &&
      html`<h4>In the ${place}</h4>${renderMembers({ properties: members, required })}`
    );
  })}`;
}

function renderContents(title: string, contents: Readonly<Record<string, MediaType>>): Html {
  return html`${Object.entries(contents).map(
    ([type, { schema, example }]) => html`<h4>${title}, <code>${type}</code></h4>
${schema.$ref === undefined ? renderMembers(schema) : html`<p>${renderLink(schema.$ref)}</p>`}
<pre><code>${shown(example)}</code></pre>
`,
  )}`;
}

function renderLink($ref: string): Html {
  const name = $ref.split('/').at(-1)!;
  return html`<a href="#shape-${name}">${name}</a>`;
}

function renderAnswers(
  { responses }: OperationObject,
  { responses: errors }: OpenApiDocument['components'],
): Html {
  const all = Object.entries(responses);
  const successes = all.flatMap(([status, response]) =>
    '$ref' in response ? [] : [[status, response] as const],
  );
  const rows = all.map(([status, response]) => renderAnswer(status, response, errors));
  return html`<h4>Answers</h4>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead>
<tbody>${rows}</tbody></table>
${successes.map(([status, { content }]) => content && renderContents(`Answer ${status}`, content))}`;
}

function renderAnswer(
  status: string,
  response: ResponseObject | Reference,
  errors: Readonly<Record<string, ResponseObject>>,
): Html {
  const code = '$ref' in response ? response.$ref.split('/').at(-1)! : '';
  const description = response.description ?? errors[code]!.description;
  const isOther = status === 'default';
  return html`<tr><td>${isOther ? 'other' : status}</td><td>${code !== '' && html`<a href="#error-${code}"><code>${code}</code></a>`}</td><td>${sentence(description)}</td></tr>
`;
}

function shown(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2);
}

/** Renders an example for curl, with `$WAYPOST` and `$KEY` as in docs/api.md. */
function curlOf({ method, path, operation }: PlacedOperation): string {
  const { security, requestBody, parameters } = operation;
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const query = new URLSearchParams();
  for (const { name, example } of parameters) if (example !== undefined) query.append(name, example);
  const address = `"$WAYPOST${place}${query.size > 0 ? `?${query}` : ''}"`;
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const parts = [
    `curl -s${method === 'get' || type !== undefined ? '' : ` -X ${method.toUpperCase()}`} ${address}`,
    ...(method === 'patch' || method === 'put' ? [`-X ${method.toUpperCase()}`] : []),
    ...(security === undefined ? ['-H "X-API-Key: $KEY"'] : []),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(content!.example)}'`]),
  ];
  return parts.join(' \\\n  ');
}
