/** Renders a JSON Schema as a list of its members. Components have a section of their own, to which others link. */

import { type Html, html } from '../../../platform/html.ts';
import type { JsonSchema } from '../openapi/json-schemas.ts';
import { sentence } from './html.ts';

/** Renders the members of a schema. Nested members have a path, as in `dns.wanted` or `errors[].field`. */
export function renderMembers(schema: JsonSchema): Html {
  const members = membersOf(schema, '');
  if (members.length > 0) return html`<dl>${members}</dl>`;
  const { description } = schema;
  return html`<p>${description === undefined ? typeOf(schema) : sentence(description)}</p>`;
}

function membersOf(schema: JsonSchema, prefix: string): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (typeof member === 'boolean') return [];
    const path = prefix + name;
    const isRequired = schema.required?.includes(name);
    const { schema: inner, suffix } = innermost(member);
    return [
      html`<dt><code>${path}</code> <span class="type">${typeOf(member)}${isRequired && ', required'}</span></dt>
<dd>${member.description !== undefined && sentence(member.description)}${bounds(inner)}</dd>
`,
      ...membersOf(inner, `${path}${suffix}.`),
    ];
  });
}

/** Returns the schema without null. For an array, returns the schema of its elements. */
function innermost(schema: JsonSchema): { schema: JsonSchema; suffix: string } {
  const notNull = alternativesOf(schema).find(({ type }) => type !== 'null') ?? schema;
  if (notNull.type !== 'array' || !isSchema(notNull.items)) return { schema: notNull, suffix: '' };
  const inner = innermost(notNull.items);
  return { schema: inner.schema, suffix: `[]${inner.suffix}` };
}

function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return html`<a href="#shape-${name}">${name}</a>`;
  }
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return joined(alternatives.map(typeOf), ' or ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ', ',
    );
  }
  if (schema.type === 'array' && isSchema(schema.items)) return html`array of ${typeOf(schema.items)}`;
  return html`${[schema.type ?? 'any'].flat().join(' or ')}`;
}

/** Returns the alternatives of a schema. Leaves out the alternatives that only name required members. */
function alternativesOf({ anyOf = [] }: JsonSchema): readonly JsonSchema[] {
  return anyOf.filter(isSchema).filter(({ type, $ref, enum: values }) => type ?? $ref ?? values);
}

/** Renders the limits, the format and the default of a value in words. */
function bounds(schema: JsonSchema): Html | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  const words = [
    ...rangeOf(minimum, maximum, ''),
    ...rangeOf(minLength, maxLength, ' characters'),
    ...rangeOf(minItems, maxItems, ' elements'),
    ...(format === undefined ? [] : [format]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  return words.length === 0 ? undefined : html` <span class="bounds">(${words.join('; ')})</span>`;
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, n) => html`${n > 0 && separator}${part}`)}`;
}

function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}
