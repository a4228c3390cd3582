/** The shape of an entry as JSON Schema, for code that goes through its members: tables of the kernel, columns, elements. */
import { z } from 'zod';
import { entrySchema } from './entry.ts';

/** The part of a JSON Schema that we read. The schema of a member that may be null has `anyOf` or a list of types. */
export interface ValueShape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly ValueShape[];
  readonly properties?: Readonly<Record<string, ValueShape>>;
  readonly required?: readonly string[];
  readonly items?: ValueShape;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

export const ENTRY_SHAPE = z.toJSONSchema(entrySchema) as ValueShape;

/** The shape of a member's value, without the null that means absent. */
export function memberShape(shape: ValueShape, name: string): ValueShape {
  const member = shape.properties![name]!;
  const isNull = ({ type }: ValueShape) => type === 'null';
  if (member.anyOf?.some(isNull)) return member.anyOf.find((each) => !isNull(each))!;
  if (typeof member.type === 'string' || member.type === undefined) return member;
  return { ...member, type: member.type.find((each) => each !== 'null')! };
}
