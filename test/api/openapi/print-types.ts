/** Prints TypeScript types of the answers of the API, from its description. */
import type { Description, Schema } from '../../support/api-description.ts';

/** Better names of the client for some types of the description. */
const NAMES: Readonly<Record<string, string>> = {
  Dns: 'DnsState',
  WholeDomain: 'DomainDetails',
  Uploaded: 'Upload',
};
/** Answers that have no name in the description, by their operation. */
const UNNAMED: Readonly<Record<string, string>> = { verifyDomain: 'Verification', getIndexNow: 'IndexNow' };

/** Prints an interface for each object that has a name. The caller formats the text. */
export function printTypes({ paths, components }: Description): string {
  const printed = new Map<string, string>();
  const print = (name: string, schema: Schema) => {
    if (printed.has(name)) return;
    printed.set(name, '');
    printed.set(name, `export interface ${name} ${typeOf(schema, visit)}`);
  };
  const visit = (component: string) => {
    const name = NAMES[component] ?? component;
    print(name, components.schemas[component]!);
    return name;
  };
  for (const { operationId, responses } of Object.values(paths).flatMap((ofPath) => Object.values(ofPath))) {
    for (const data of Object.values(responses).map(dataOf)) {
      if (data === undefined) continue;
      const name = UNNAMED[operationId];
      if (name === undefined) referencesIn(data).forEach(visit);
      else print(name, data);
    }
  }
  return [...printed.values()].join('\n\n');
}

/** Returns the schema of `data` in the envelope of a success. */
function dataOf({ content }: Description['components']['responses'][string]): Schema | undefined {
  const { properties } = (content?.['application/json']?.schema ?? {}) as Members;
  return properties?.data;
}

interface Members extends Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function referencesIn(schema: Schema): string[] {
  return Array.from(JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name]) => name!);
}

/** `visit`: gives a component its name. */
function typeOf(schema: Schema, visit: (component: string) => string): string {
  const { $ref, anyOf, enum: values, const: value, type, items } = schema as SchemaParts;
  if ($ref !== undefined) return visit($ref.split('/').at(-1)!);
  if (anyOf !== undefined) return anyOf.map((part) => typeOf(part, visit)).join(' | ');
  if (values !== undefined) return values.map((text) => JSON.stringify(text)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(type)) return type.map((one) => typeOf({ type: one }, visit)).join(' | ');
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly (${typeOf(items!, visit)})[]`;
  return type === 'object' ? membersOf(schema, visit) : String(type ?? 'unknown');
}

interface SchemaParts {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly type?: string | string[];
  readonly items?: Schema;
}

function membersOf(
  { properties = {}, required = [] }: Members,
  visit: (component: string) => string,
): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const words = typeof schema.description === 'string' ? `/** ${schema.description} */\n` : '';
    return `${words}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, visit)};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}
