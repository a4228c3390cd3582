/** Hostile upload bodies. Each body marks the byte that decides its answer, and states the status of that answer. */
import { generatedBody, generatedEntry } from '../tools/generated-upload.ts';
import { BENCH_HOSTNAME } from './bench-waypost.ts';
import { DECIDED, type MarkedBody } from './time-answer.ts';

export interface HostileBody {
  readonly name: string;
  readonly status: number;
  /** The chunks of the body. The mark follows the chunk with the byte that decides the answer. */
  readonly chunks: () => MarkedBody;
}

const CHUNK = 1024 * 1024;
const GIGABYTE = 1024 * CHUNK;
const ENTRY = JSON.stringify(generatedEntry(1));

export const HOSTILE_BODIES: readonly HostileBody[] = [
  {
    name: 'a million opening brackets, in an unknown member',
    status: 422,
    chunks: () => early('{"x":', '[', 1e6),
  },
  {
    name: 'a million opening brackets, as an entry',
    status: 400,
    chunks: () => early(`{"urls":[`, '[', 1e6),
  },
  { name: 'a string, in an unknown member', status: 422, chunks: () => early('{"x":"', 'a', 1e6) },
  { name: 'a string of 1 GiB, as loc', status: 422, chunks: () => late('{"urls":[{"loc":"', 'a', 4 * CHUNK) },
  { name: 'a string of 1 GiB, as domain', status: 422, chunks: () => late('{"domain":"', 'a', 16 * 1024) },
  { name: 'an endless key', status: 422, chunks: () => early('{"', 'a', 1e6) },
  { name: '1 GiB of blanks', status: 200, chunks: blanks },
  { name: 'a million unknown keys', status: 422, chunks: () => early('{', '"k":0,', 1e6) },
  { name: '__proto__ a million times', status: 422, chunks: () => early('{', '"__proto__":{"a":1},', 1e6) },
  { name: 'a million keys in an entry', status: 422, chunks: () => late('{"urls":[{', '"k":0,', 4 * CHUNK) },
  { name: 'a million empty entries', status: 422, chunks: () => early('{"urls":[', '{},', 1e6) },
  { name: 'a million entries, one bad in the middle', status: 422, chunks: badInTheMiddle },
  {
    name: 'invalid UTF-8 in the middle',
    status: 400,
    chunks: () => early(`{"urls":[${ENTRY},"`, '\u00ff', 1000, 'latin1'),
  },
  {
    name: 'text after the document',
    status: 400,
    chunks: () => ended(`{"domain":"${BENCH_HOSTNAME}","urls":[${ENTRY}]}`, 'x'),
  },
  {
    name: 'two documents',
    status: 400,
    chunks: () => ended(`{"domain":"${BENCH_HOSTNAME}","urls":[${ENTRY}]}`, '{}'),
  },
  {
    name: 'a member given twice',
    status: 400,
    chunks: () => ended(`{"domain":"${BENCH_HOSTNAME}",`, `"domain":"x"}`),
  },
];

/** The first chunk has the deciding byte, but the client keeps sending. */
function* early(start: string, unit: string, count: number, encoding: BufferEncoding = 'utf8') {
  yield Buffer.from(start + unit.repeat(Math.min(count, 2000)), encoding);
  yield DECIDED;
  yield Buffer.from(unit.repeat(count), encoding);
}

/** 1 GiB of blanks, then a normal upload. */
function* blanks() {
  yield Buffer.from('{');
  const chunk = Buffer.alloc(CHUNK, ' ');
  for (let sent = 0; sent < GIGABYTE; sent += CHUNK) yield chunk;
  yield Buffer.from(`"domain":"${BENCH_HOSTNAME}","urls":[${ENTRY}]}`);
  yield DECIDED;
}

/** Passes a limit at `decidedAt` bytes, and continues to 1 GiB. */
function* late(start: string, unit: string, decidedAt: number) {
  yield Buffer.from(start);
  const chunk = Buffer.alloc(CHUNK, unit);
  let isDecided = false;
  for (let sent = 0; sent < GIGABYTE; sent += CHUNK) {
    yield chunk;
    if (isDecided || sent + CHUNK <= decidedAt) continue;
    isDecided = true;
    yield DECIDED;
  }
}

function* ended(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
  yield DECIDED;
}

function* badInTheMiddle() {
  let entries = 0;
  for (const chunk of generatedBody(BENCH_HOSTNAME, 1e6)) {
    yield chunk;
    if (entries++ !== 500) continue;
    yield Buffer.from(',{"loc":"nowhere"}');
    yield Buffer.from(`,${ENTRY}`.repeat(1000));
    yield DECIDED;
  }
}
