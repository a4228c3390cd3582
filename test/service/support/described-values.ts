/** Values that a JSON Schema of the API's description allows, and values that break one of its rules. */
import fc from 'fast-check';
import type { Schema } from '../../support/api-description.ts';
import { uniqueHostname } from './customer.ts';

/** Finds the schema that a `$ref` names. */
export type Resolve = (schema: Schema) => Schema;

/** A value with one fault. */
export interface Broken {
  /** The field, as in `urls[0].loc`. */
  readonly field: string;
  readonly what: string;
  readonly value: unknown;
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'sitemap-date': fc.constantFrom('2026-01-15', '2026-01-15T10:00:00Z', '2026-01-15T10:00:00.5+01:00'),
  'language-tag': fc.constantFrom('x-default', 'en', 'en-GB', 'zh-Hant', 'zh-Hant-TW'),
  'news-language': fc.constantFrom('en', 'deu', 'zh-cn', 'zh-TW'),
  'stock-tickers': fc.constantFrom('NASDAQ:GOOG', 'NASDAQ:GOOG, NYSE:A'),
  'idn-hostname': fc.gen().map(() => uniqueHostname()),
  uri: fc
    .webUrl({ withFragments: true, withQueryParameters: true, size: 'small' })
    .map((url) => `${url}?a=${url.length}`),
};

const MAX_LENGTH = 40;
const MAX_ITEMS = 3;

/** A value that the schema allows. */
export function validValues(given: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const schema = withAlternatives(resolve(given));
  const { type, anyOf, properties } = schema as { type?: string; anyOf?: Schema[]; properties?: object };
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined) {
    const { anyOf: _, ...rest } = schema;
    return fc.oneof(...anyOf.map((alternative) => validValues(merged(rest, alternative, resolve), resolve)));
  }
  if (type === 'object' && properties !== undefined) return recordOf(schema, resolve);
  if (type === 'array') return listOf(schema, resolve);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'string') return textOf(schema);
  if (type === 'integer' || type === 'number') return numberOf(schema);
  return fc.jsonValue();
}

/** A list of types, as alternatives. */
function withAlternatives(schema: Schema): Schema {
  if (!Array.isArray(schema.type)) return schema;
  const { type, ...rest } = schema;
  return { anyOf: type.map((one) => (one === 'null' ? { type: one } : { ...rest, type: one })) };
}

/** `alternative` has a type of its own, or says which members are there and not null. */
function merged(schema: Schema, alternative: Schema, resolve: Resolve): Schema {
  if (schema.properties === undefined) return { ...schema, ...alternative };
  const properties = schema.properties as Record<string, Schema>;
  const there = alternative.required as string[];
  const notNull = there.map((name) => [name, withoutNull(withAlternatives(properties[name]!), resolve)]);
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(notNull) },
    required: [...((schema.required as string[]) ?? []), ...there],
  };
}

function recordOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties as Record<string, Schema>);
  const values = Object.fromEntries(members.map(([name, member]) => [name, validValues(member, resolve)]));
  return fc.record(values, { requiredKeys: (schema.required as string[]) ?? [], noNullPrototype: true });
}

function listOf({ items, minItems, maxItems }: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const maxLength = Math.min(Number(maxItems ?? MAX_ITEMS), MAX_ITEMS);
  return fc.array(validValues(items as Schema, resolve), { minLength: Number(minItems ?? 0), maxLength });
}

function textOf({ format, pattern, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  const known = FORMATS[String(format)];
  if (known !== undefined) return known;
  if (pattern !== undefined) {
    // fast-check does not generate by what must not follow.
    const withoutLookahead = String(pattern).replace(/\(\?!(?:[^()]|\([^()]*\))*\)/g, '');
    const matches = new RegExp(String(pattern));
    return fc.stringMatching(new RegExp(withoutLookahead)).filter((text) => matches.test(text));
  }
  const longest = Math.min(Number(maxLength ?? MAX_LENGTH), MAX_LENGTH);
  return fc.string({ unit: 'grapheme', minLength: Number(minLength ?? 0), maxLength: longest });
}

function numberOf({ type, minimum, maximum }: Schema): fc.Arbitrary<number> {
  const range = { min: Number(minimum ?? -1e9), max: Number(maximum ?? 1e9) };
  if (type === 'integer') return fc.integer(range);
  // Not any double: one near 0 has more decimal places than we write.
  return fc.integer({ min: 0, max: 100 }).map((part) => range.min + ((range.max - range.min) * part) / 100);
}

/** Every way to break one rule of the schema, in a copy of `value`, which is valid. */
export function faultsOf(given: Schema, value: unknown, resolve: Resolve, field = ''): Broken[] {
  const schema = withoutNull(withAlternatives(resolve(given)), resolve);
  const own = ownFaults(schema, given, resolve).map(([what, broken]) => ({ field, what, value: broken }));
  if (schema.type === 'array' && Array.isArray(value) && value.length > 0) {
    const inner = faultsOf(schema.items as Schema, value[0], resolve, `${field}[0]`);
    return [...own, ...inner.map((fault) => ({ ...fault, value: [fault.value, ...value.slice(1)] }))];
  }
  if (schema.properties === undefined || typeof value !== 'object' || value === null) return own;
  return [...own, ...memberFaults(schema, value as Record<string, unknown>, resolve, field)];
}

function memberFaults(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  resolve: Resolve,
  field: string,
): Broken[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  const { [UNKNOWN]: _, ...known } = value;
  const unknown = schema.additionalProperties === false && {
    field: at(UNKNOWN),
    what: 'unknown',
    value: { ...known, [UNKNOWN]: 1 },
  };
  const inMembers = Object.entries(schema.properties as Record<string, Schema>).flatMap(([name, member]) => {
    const missing = ((schema.required as string[]) ?? []).includes(name) && {
      field: at(name),
      what: 'missing',
      value: Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)),
    };
    const faults = faultsOf(member, value[name], resolve, at(name));
    const broken = faults.map((fault) => ({ ...fault, value: { ...value, [name]: fault.value } }));
    return missing ? [missing, ...broken] : broken;
  });
  return unknown ? [unknown, ...inMembers] : inMembers;
}

const UNKNOWN = 'surelyNotKnown';

function withoutNull(schema: Schema, resolve: Resolve): Schema {
  const alternatives = schema.anyOf as Schema[] | undefined;
  if (alternatives === undefined || schema.type !== undefined) return schema;
  return resolve(alternatives.find(({ type }) => type !== 'null')!);
}

/** Returns faults: each with a text, and a value with that fault. */
function ownFaults(schema: Schema, given: Schema, resolve: Resolve): [string, unknown][] {
  const { type, minimum, maximum, maxLength, format, pattern, maxItems, minItems } = schema;
  const faults: [string, unknown][] = type === undefined ? [] : [['type', type === 'string' ? 5 : 'five']];
  if (type === 'object') faults.push(['type', []], ['type', 5]);
  if (type === 'array') faults.push(['type', {}]);
  if (type === 'integer') faults.push(['fraction', 1.5]);
  if (schema.enum !== undefined) faults.push(['enum', 'surely not one of them']);
  if (typeof minimum === 'number') faults.push(['minimum', minimum - 1]);
  if (typeof maximum === 'number') faults.push(['maximum', maximum + 1]);
  if (typeof maxLength === 'number') {
    faults.push([
      'length',
      format === 'uri' ? `https://a.example/${'x'.repeat(maxLength)}` : 'x'.repeat(maxLength + 1),
    ]);
  }
  if (format !== undefined) faults.push(['format', '-surely none-']);
  if (pattern !== undefined && format === undefined) faults.push(['pattern', '\u0000']);
  if (minItems === 1) faults.push(['too few', []]);
  if (typeof maxItems === 'number') faults.push(['too many', Array(maxItems + 1).fill(null)]);
  const alternatives = (withAlternatives(resolve(given)).anyOf ?? []) as Schema[];
  const takesNull = alternatives.some((alternative) => alternative.type === 'null');
  if (type !== undefined && !takesNull) faults.push(['null', null]);
  return faults;
}
