/** Refuses files of other kinds that are sent as a text, by their first bytes. The readers of texts only say that a text is not UTF-8. */
import { malformed } from './json/json-syntax.ts';

const NAME_THE_ENCODING = 'name it in Content-Encoding, or decompress the file';
const WRITE_PARQUET = 'write it as Parquet, or as CSV';
const DECOMPRESS = 'decompress the file, or compress it by gzip, zstd or br';
const UTF_32 = 'it is UTF-32: save it as UTF-8';

/** The first bytes of files, and what their senders can do. No text that we take begins so. */
const FILES: readonly (readonly [beginning: readonly number[], problem: string])[] = [
  [[0x1f, 0x8b], `it is compressed by gzip: ${NAME_THE_ENCODING}`],
  [[0x28, 0xb5, 0x2f, 0xfd], `it is compressed by zstd: ${NAME_THE_ENCODING}`],
  [[0xfd, 0x37, 0x7a, 0x58], `it is compressed by xz: ${DECOMPRESS}`],
  [[0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59], `it is compressed by bzip2: ${DECOMPRESS}`],
  [[0x37, 0x7a, 0xbc, 0xaf], 'it is a 7z archive: send the file in it'],
  [
    [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff],
    'it is COPY of PostgreSQL in its binary format: write it as CSV',
  ],
  [
    [0x50, 0x4b, 0x03, 0x04],
    'it is a ZIP file, as .xlsx is: send the file in it, or save the sheet as CSV UTF-8',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'it is a workbook of an old Excel (.xls): save the sheet as CSV UTF-8'],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31, 0, 0], `it is Arrow IPC, or Feather: ${WRITE_PARQUET}`],
  [[0x4f, 0x62, 0x6a, 0x01], `it is Avro: ${WRITE_PARQUET}`],
  [[0x04, 0x22, 0x4d, 0x18], `it is compressed by lz4: ${DECOMPRESS}`],
  // Its first two bytes are those of UTF-16.
  [[0xff, 0xfe, 0, 0], UTF_32],
  [[0, 0, 0xfe, 0xff], UTF_32],
  [[0x50, 0x41, 0x52, 0x31, 0x15], 'it is a Parquet file: send it as application/vnd.apache.parquet'],
];

/** Sites answer with such a page in place of a file, and a browser saves a sitemap with a style sheet as one. */
const HTML = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+)?html[\s>]/i;

/** psql -H, mariadb -H, sqlite3 -html and DataFrame.to_html write such a table without a page around it. */
const HTML_TABLE = /^\s*<(?:table|tr)[\s>]/i;

/** The position of the mark of a tar archive. */
const TAR_AT = 257;
const TAR_MARK = 'ustar';
/** The bytes that tell the kind of a file. */
export const FILE_BYTES = TAR_AT + TAR_MARK.length;

/** `beginning`: the first bytes of a text, as many as have come. Throws Refusal BAD_REQUEST. */
export function refuseFiles(beginning: Uint8Array): void {
  const text = Buffer.from(beginning.subarray(0, FILE_BYTES)).toString('latin1');
  if (text.slice(TAR_AT) === TAR_MARK) {
    throw malformed('it is a tar archive: send the files in it, each by itself');
  }
  if (HTML.test(text)) {
    throw malformed('it is a page of HTML, not the file itself: fetch the file with curl');
  }
  if (HTML_TABLE.test(text)) throw malformed('it is a table of HTML: export it as CSV');
  // Without a byte order mark, three of the four bytes of each ASCII character are zero.
  if (beginning.subarray(0, 8).filter((byte) => byte === 0).length === 6) throw malformed(UTF_32);
  for (const [bytes, problem] of FILES) {
    if (bytes.every((byte, i) => beginning[i] === byte)) throw malformed(problem);
  }
}
