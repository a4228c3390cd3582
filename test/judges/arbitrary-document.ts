/**
 * Any upload document with valid entries, written as no serializer writes it: members in any order, unknown members
 * with hostile names, repeated members, null for absent values, unnecessary escapes and exponents, white space
 * everywhere. None of this may change the entries.
 */
import fc from 'fast-check';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { fullEntry } from '../sitemap/full-entry.ts';

type JsonText = fc.Arbitrary<string>;

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n  ');
const anyJson = fc.json({ maxDepth: 2, stringUnit: 'binary' });
const unknownName = fc.constantFrom(
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'Loc', 'loc ', 'urls', 'domain', '', '"\\'],
);

/** A document's text, with at most `maxEntries` entries. */
export function anyDocument(maxEntries: number): JsonText {
  const urls = fc
    .array(anyEntry, { minLength: 1, maxLength: maxEntries })
    .chain((entries) => arrayOf(entries.map((entry) => textOf(entry, fullEntry()))));
  return fc
    .tuple(
      fc.tuple(fc.constant('"urls"'), urls),
      fc.tuple(fc.constant('"domain"'), fc.constant('"maps.example.com"')),
      fc.array(fc.tuple(fc.constantFrom('"__proto__"', '"url"', '"Urls"', '"x"'), anyJson), { maxLength: 3 }),
    )
    .chain(([entries, domain, unknown]) => shuffled([entries, domain, ...unknown]))
    .chain(objectOf);
}

/** The value as JSON text. `model` has every member that is known at this place. */
function textOf(value: unknown, model: unknown): JsonText {
  if (Array.isArray(value)) return arrayOf(value.map((element) => textOf(element, (model as unknown[])[0])));
  if (typeof value === 'object' && value !== null) return entryText(value as Members, model as Members);
  if (typeof value === 'string')
    return fc.constantFrom(JSON.stringify(value), escaped(value), withSlashes(value));
  if (typeof value === 'number')
    return fc.constantFrom(String(value), value.toExponential(), withZeros(value));
  return fc.constant(String(value));
}

type Members = Readonly<Record<string, unknown>>;

function entryText(object: Members, model: Members): JsonText {
  const present = Object.keys(object).filter((name) => object[name] !== undefined);
  const absent = Object.keys(model).filter((name) => !present.includes(name));
  return fc
    .tuple(
      fc.tuple(...present.map((name) => member(name, textOf(object[name], model[name])))),
      fc
        .subarray(absent)
        .chain((names) => fc.tuple(...names.map((name) => member(name, fc.constant('null'))))),
      fc.array(
        unknownName.chain((name) => member(name, anyJson)),
        { maxLength: 2 },
      ),
      // Earlier values of a repeated name do not count.
      fc.subarray(present).chain((names) => fc.tuple(...names.map((name) => member(name, anyJson)))),
    )
    .chain(([known, nulls, unknown, overwritten]) =>
      shuffled([...known, ...nulls, ...unknown]).map((rest) => [...overwritten, ...rest]),
    )
    .chain(objectOf);
}

function member(name: string, value: JsonText): fc.Arbitrary<[string, string]> {
  return fc.tuple(fc.constantFrom(JSON.stringify(name), escaped(name)), value);
}

function objectOf(members: readonly (readonly [string, string])[]): JsonText {
  return fc
    .tuple(space, space, space)
    .map(
      ([a, b, c]) =>
        `{${a}${members.map(([key, value]) => `${key}${b}:${c}${value}`).join(`${b},${a}`)}${c}}`,
    );
}

function arrayOf(elements: readonly JsonText[]): JsonText {
  return fc
    .tuple(space, space, fc.tuple(...elements))
    .map(([a, b, texts]) => `[${a}${texts.join(`${a},${b}`)}${b}]`);
}

function shuffled<Value>(values: readonly Value[]): fc.Arbitrary<Value[]> {
  return fc.shuffledSubarray([...values], { minLength: values.length });
}

function escaped(text: string): string {
  const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

/** With escaped slashes, as PHP writes them. */
function withSlashes(text: string): string {
  return JSON.stringify(text).replaceAll('/', '\\/');
}

/** With redundant digits. */
function withZeros(value: number): string {
  const text = String(value);
  if (text.includes('e')) return text.toUpperCase();
  return text.includes('.') ? `${text}00` : `${text}.00`;
}
