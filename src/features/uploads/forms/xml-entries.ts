/** Reads the records of XML: turns `<url>` elements into the JSON of entries. */
import type { Batch } from '../fragment.ts';
import { type BatchEntries, keepLast, type ReadEntries, type RecordFault } from './batch-entries.ts';
import { JsonBytes } from './json-bytes.ts';
import { elementPath } from './xml-elements.ts';
import { PlainXmlRecords } from './xml-plain-record.ts';
import { type Namespaces, readXmlRecord } from './xml-record.ts';

const readerFor = keepLast((preamble) => new XmlReader(preamble));

export const xmlEntries: ReadEntries = (batch) => readerFor(batch).read(batch);

class XmlReader {
  readonly #namespaces: Namespaces;
  readonly #plain: PlainXmlRecords;
  readonly #json = new JsonBytes();

  /** `preamble`: the namespaces of the root, as JSON. */
  constructor(preamble: string) {
    this.#namespaces = JSON.parse(preamble);
    this.#plain = new PlainXmlRecords(this.#namespaces, this.#json);
  }

  read(batch: Batch): BatchEntries {
    const { bytes, ends: recordEnds } = batch;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const json = this.#json;
    const ends = new Uint32Array(recordEnds.length);
    const faults = new Map<number, RecordFault>();
    json.clear();
    for (let i = 0; i < ends.length; i++) {
      const start = i === 0 ? 0 : recordEnds[i - 1]!;
      if (!this.#plain.read(text, start, recordEnds[i]!)) {
        const read = readXmlRecord(text.toString('utf8', start, recordEnds[i]), this.#namespaces);
        json.makeRoom(1);
        if ('fault' in read) faults.set(i, read.fault);
        else json.value(read.value);
      }
      json.comma();
      // The comma does not belong to the JSON of the record.
      ends[i] = json.at - 1;
    }
    json.at--;
    const lines = new XmlLines(batch);
    return {
      json: json.written,
      ends,
      names: {
        lineOf: (i) => lines.lineOf(i),
        faultOf: (i) => faults.get(i)!,
        fieldName: elementPath,
      },
    };
  }
}

const LINE_FEED = 0x0a;
const BLANK = 0x20;

/** Counts lines up to the records of a batch. */
class XmlLines {
  readonly #batch: Batch;
  #line: number;
  #at = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
    this.#line = batch.firstLine ?? 1;
  }

  /** Call it for the records in their order. */
  lineOf(i: number): number {
    const { bytes, ends } = this.#batch;
    let start = i === 0 ? 0 : ends[i - 1]!;
    while (bytes[start]! <= BLANK) start++;
    for (; this.#at < start; this.#at++) if (bytes[this.#at] === LINE_FEED) this.#line++;
    return this.#line;
  }
}
