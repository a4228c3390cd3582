/** Chooses how the values of a column are written, by the type of the column. Refuses a type whose meaning is not clear. */
import type { ArrowField } from '../../../platform/parquet/arrow.ts';
import { ListValues, ObjectValues } from './nested.ts';
import { DateValues, FRACTION_DIGITS, TimestampValues } from './times.ts';
import {
  BooleanValues,
  DecimalValues,
  FloatValues,
  IntegerValues,
  type ReadNumber,
  TextValues,
  type Values,
  type WantedKind,
} from './values.ts';

/** A fault of a column. The message continues a sentence that begins with the name of the column. */
export class TypeProblem extends Error {
  override readonly name = 'TypeProblem';
}

/** Integers by the format string of Arrow. */
const INTEGERS: Readonly<Record<string, { readonly bytes: number; readonly read: ReadNumber }>> = {
  c: { bytes: 1, read: (view, at) => view.getInt8(at) },
  C: { bytes: 1, read: (view, at) => view.getUint8(at) },
  s: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  S: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  i: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  I: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  l: { bytes: 8, read: (view, at) => view.getBigInt64(at, true) },
  L: { bytes: 8, read: (view, at) => view.getBigUint64(at, true) },
};
const DATES = { tdD: 'days', tdm: 'milliseconds' } as const;
/** The names of types in Parquet, by the beginning of the format string. */
const NAMES: readonly (readonly [string, string])[] = [
  ['+s', 'a STRUCT'],
  ['+m', 'a MAP'],
  ['+', 'a LIST'],
  ['e', 'a FLOAT16'],
  ['w', 'a FIXED_LEN_BYTE_ARRAY'],
  ['tt', 'a TIME'],
  ['ti', 'an INTERVAL'],
  ['n', 'of no type'],
  ['td', 'a DATE'],
  ['ts', 'a TIMESTAMP'],
  ['d', 'a DECIMAL'],
  ['u', 'a text'],
  ['z', 'a BYTE_ARRAY'],
  ['b', 'a BOOLEAN'],
  ['f', 'a FLOAT'],
  ['g', 'a DOUBLE'],
];

/**
 * The members of an entry that are lists or objects. The value names the member of an object for which a plain element of such a list
 * stands.
 */
const WHOLE: Readonly<Record<string, string | undefined>> = {
  images: 'loc',
  hreflang: undefined,
  news: undefined,
  video: undefined,
};

const isNested = ({ format }: ArrowField) => format.startsWith('+');

/** Returns the values of a column for a member of an entry. `hasZone`: times without a zone get one later. Throws TypeProblem. */
export function valuesOf(field: ArrowField, member: string, kind: WantedKind, hasZone: boolean): Values {
  if (!Object.hasOwn(WHOLE, member)) return plainValues(field, kind, hasZone);
  if (!isNested(field) || field.format === '+m')
    throw new TypeProblem(`must be a LIST or a STRUCT, as in JSON, but is ${nameOf(field)}`);
  return ownValues(field, hasZone, WHOLE[member]);
}

function plainValues(field: ArrowField, kind: WantedKind, hasZone: boolean): Values {
  const { format } = field;
  const integer = INTEGERS[format];
  if (integer !== undefined) return new IntegerValues(kind, integer.bytes, integer.read);
  if (format === 'u' || format === 'z') return new TextValues(kind, format === 'z');
  if (format === 'b') return new BooleanValues(kind);
  if (format === 'f') return new FloatValues(kind, 4);
  if (format === 'g') return new FloatValues(kind, 8);
  if (format === 'n') return new Absent(kind);
  if (format === 'tdD' || format === 'tdm') return new DateValues(DATES[format]);
  const [, scale, bits = '128'] = /^d:\d+,(\d+)(?:,(\d+))?$/.exec(format) ?? [];
  if (scale !== undefined) return new DecimalValues(kind, Number(bits) / 8, Number(scale));
  const [, unit, zone] = /^ts([smun]):(.*)$/.exec(format) ?? [];
  if (unit === undefined) {
    throw new TypeProblem(`must be a text, a number, a date or a time, but is ${nameOf(field)}`);
  }
  if (zone === '' && !hasZone) {
    throw new TypeProblem(
      'is a TIMESTAMP without a time zone: add timezone= with the zone of its clock, or timezone=UTC. INT96 of Spark and Hive is UTC',
    );
  }
  return new TimestampValues(FRACTION_DIGITS[unit]!, zone !== '');
}

/** Returns the values of a list or an object by their own types. `member`: the member that a plain element of the list stands for. */
function ownValues(field: ArrowField, hasZone: boolean, member?: string): Values {
  const { format, children } = field;
  if (format === '+l') {
    const [element] = children;
    const elements = ownValues(element!, hasZone);
    return new ListValues(elements, isNested(element!) ? undefined : member);
  }
  if (format === '+s') {
    return new ObjectValues(
      children.map((child) => ({ name: child.name, values: ownValues(child, hasZone) })),
    );
  }
  return plainValues(field, 'own', hasZone);
}

/** A column that has no value in any row. */
class Absent extends BooleanValues {
  override has(): boolean {
    return false;
  }
}

function nameOf({ format }: ArrowField): string {
  if (Object.hasOwn(INTEGERS, format)) return 'an INT';
  const name = NAMES.find(([beginning]) => format.startsWith(beginning))?.[1];
  return name ?? `of the type ${format}`;
}
