/**
 * The tables by which the kernel reads and writes entries (kernel-layout.ts describes them), from the definitions of
 * the format: members, kinds and limits from the schema, XML from elements.ts.
 */
import { type ElementXml, ENTRY_XML, type ObjectXml } from './elements.ts';
import { ENTRY_SHAPE, memberShape, type ValueShape } from './entry-shape.ts';
import * as layout from './kernel-layout.ts';

const KINDS_OF_FORMATS: Readonly<Record<string, number>> = {
  uri: layout.URL,
  'sitemap-date': layout.DATE,
  'language-tag': layout.LANGUAGE_TAG,
  'news-language': layout.NEWS_LANGUAGE,
  'stock-tickers': layout.STOCK_TICKERS,
};
const KINDS_OF_TYPES: Readonly<Record<string, number>> = {
  string: layout.TEXT,
  number: layout.DECIMAL,
  integer: layout.INTEGER,
  boolean: layout.BOOLEAN,
  object: layout.OBJECT,
  array: layout.LIST,
};

/** Writes the tables to `bytes` from `at` on. They hold positions, so they are valid only there. */
export function writeKernelTables(bytes: Buffer, at: number): void {
  new Tables(bytes, at).addShape(ENTRY_SHAPE, ENTRY_XML);
}

class Tables {
  readonly #bytes: Buffer;
  #end: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#end = at;
  }

  /** Returns the position of the shape. */
  addShape(shapeOf: ValueShape, xml: ObjectXml): number {
    const { required = [], anyOf = [] } = shapeOf;
    const names = Object.keys(xml.members);
    const maskOf = (members: readonly string[]) =>
      members.reduce((mask, name) => mask | (1 << names.indexOf(name)), 0);
    const shape = this.#take(layout.SHAPE_MEMBERS + names.length * layout.MEMBER_SIZE);
    this.#writeInt(shape + layout.SHAPE_COUNT, names.length);
    this.#writeInt(shape + layout.SHAPE_REQUIRED, maskOf(required));
    this.#writeInt(shape + layout.SHAPE_ANY_OF, maskOf(anyOf.flatMap((each) => each.required ?? [])));
    this.#writeInt(shape + layout.SHAPE_NAMESPACE, xml.namespace);
    this.#writeInt(shape + layout.SHAPE_OPEN, this.#addText(xml.open));
    this.#writeInt(shape + layout.SHAPE_CLOSE, this.#addText(xml.close));
    for (const [index, name] of names.entries()) {
      const member = shape + layout.SHAPE_MEMBERS + index * layout.MEMBER_SIZE;
      const bucket = shape + layout.SHAPE_BUCKETS + name.length;
      this.#bytes.write(name, member + layout.MEMBER_NAME);
      this.#writeInt(member + layout.MEMBER_NEXT, this.#bytes[bucket]!);
      this.#bytes[bucket] = index + 1;
      this.#fillValue(member + layout.MEMBER_VALUE, memberShape(shapeOf, name), xml.members[name]!);
    }
    return shape;
  }

  #fillValue(value: number, schema: ValueShape, xml: ElementXml | ObjectXml): void {
    const kind = kindOf(schema);
    this.#writeInt(value + layout.VALUE_KIND, kind);
    this.#bytes.writeDoubleLE(schema.minimum ?? schema.minLength ?? 0, value + layout.VALUE_MIN);
    const max = schema.maximum ?? schema.maxLength ?? schema.maxItems ?? 0;
    this.#bytes.writeDoubleLE(max, value + layout.VALUE_MAX);
    this.#writeInt(value + layout.VALUE_OF, this.#addDetail(kind, schema, xml));
    if ('members' in xml) return;
    this.#writeInt(value + layout.VALUE_OPEN, this.#addText(xml[0]));
    this.#writeInt(value + layout.VALUE_CLOSE, this.#addText(xml[1]));
  }

  /** Adds the table to which VALUE_OF points, and returns its position. */
  #addDetail(kind: number, schema: ValueShape, xml: ElementXml | ObjectXml): number {
    if (kind === layout.OBJECT) return this.addShape(schema, xml as ObjectXml);
    if (kind === layout.WORD) return this.#addWords(schema.enum ?? []);
    if (kind !== layout.LIST) return 0;
    const element = this.#take(layout.VALUE_SIZE);
    this.#fillValue(element, schema.items!, xml);
    return element;
  }

  #addWords(words: readonly string[]): number {
    const at = this.#take(layout.WORDS_FIRST + words.length * layout.WORD_SIZE);
    this.#writeInt(at, words.length);
    for (const [index, word] of words.entries()) {
      this.#bytes.write(word, at + layout.WORDS_FIRST + index * layout.WORD_SIZE);
    }
    return at;
  }

  #addText(text: string): number {
    const at = this.#take(layout.TEXT_BYTES + text.length);
    this.#writeInt(at, text.length);
    this.#bytes.write(text, at + layout.TEXT_BYTES);
    return at;
  }

  /** Reserves `length` zero bytes, and returns their position, a multiple of 16. */
  #take(length: number): number {
    const at = this.#end;
    this.#end += (length + 15) & -16;
    return at;
  }

  #writeInt(at: number, value: number): void {
    this.#bytes.writeInt32LE(value, at);
  }
}

function kindOf({ type, format, enum: words }: ValueShape): number {
  if (words !== undefined) return layout.WORD;
  const kind = format === undefined ? KINDS_OF_TYPES[type as string] : KINDS_OF_FORMATS[format];
  if (kind === undefined) throw new Error(`The kernel knows no values of type ${type} and format ${format}`);
  return kind;
}
