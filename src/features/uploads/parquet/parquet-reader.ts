/**
 * Reads Parquet files into batches. The end of a file says where its columns are, so the body is kept first (`spooled-body.ts`). A thread
 * reads it from there (`read-file.ts`). A file that ends its thread is damaged, or needs more memory than the thread may take.
 */
import { Turns } from '../../../platform/concurrency/turns.ts';
import { malformed } from '../../../platform/json/json-syntax.ts';
import { AskingThread, ThreadDied } from '../../../platform/process/asking-thread.ts';
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { FILE_BYTES, refuseFiles } from '../../../platform/refuse-files.ts';
import { type Dialect, readingOf } from '../forms/dialect.ts';
import { type FoundInBody, type ReadForm, readBy } from '../forms/read-records.ts';
import type { Batch } from '../fragment.ts';
import type { ParquetAsk, ParquetEnd, ParquetTask } from './messages.ts';
import { SpooledBody, type SpoolOptions } from './spooled-body.ts';

const WORKER = new URL('../../../../workers/read-parquet.ts', import.meta.url);
/** The number of threads. A hostile file may take 256 MB in each thread. One thread reads faster than two threads render. */
const THREADS = 2;
const THREADS_OF_ACCOUNT = 1;
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;
const MAX_FAULT_LENGTH = 200;

type ParquetThread = AskingThread<ParquetTask, ParquetAsk, ParquetEnd>;

export interface ParquetReaderOptions extends SpoolOptions {
  /** The longest silence of a thread, in ms, before the thread is ended. Only tests set it. */
  readonly silenceMs?: number;
}

export class ParquetReader implements AsyncDisposable {
  readonly #options: ParquetReaderOptions;
  readonly #turns = new Turns(THREADS, THREADS_OF_ACCOUNT);
  readonly #free: ParquetThread[];
  readonly #threads: readonly ParquetThread[];

  constructor(options: ParquetReaderOptions) {
    this.#options = options;
    const { silenceMs } = options;
    this.#threads = Array.from(
      { length: THREADS },
      (): ParquetThread =>
        new AskingThread({
          worker: WORKER,
          isLarge: () => false,
          ...(silenceMs !== undefined && { silenceMs }),
        }),
    );
    this.#free = [...this.#threads];
  }

  /** Returns a reader of the bodies of an account. Accounts take turns. Readers throw Refusal, and the errors of their bodies. */
  readonly readerOf =
    (accountId: string): ReadForm =>
    (body, dialect, found) =>
      this.#read(accountId, body, dialect, found);

  async *#read(
    accountId: string,
    body: AsyncIterable<Uint8Array>,
    dialect: Dialect,
    found: FoundInBody,
  ): AsyncGenerator<Batch, void, undefined> {
    const reading = readingOf(dialect);
    await using file = await SpooledBody.take(this.#options, body);
    await refuseOtherFiles(file);
    // One batch waits while the thread makes the next.
    const { readable, writable } = new TransformStream<Batch, Batch>(undefined, undefined, {
      highWaterMark: 1,
    });
    const out = writable.getWriter();
    const answer = async (ask: ParquetAsk): Promise<Uint8Array | undefined> => {
      if (ask.kind === 'read') return file.read(ask.start, ask.end);
      if (ask.kind === 'names') found.names = ask.names;
      else if (ask.kind === 'columns') found.table = ask.header;
      else await out.write(ask.batch);
      return undefined;
    };
    const task = {
      bytes: file.bytes,
      choices: dialect.columns ?? null,
      where: dialect.where ?? [],
      hasZone: dialect.timezone !== undefined,
    };
    const done = this.#turns
      .run(accountId, () => this.#run(task, answer))
      .then(() => out.close())
      // The reader of the batches gets the error.
      .catch((error) => out.abort(error).catch(() => {}));
    try {
      for await (const batch of readable) yield readBy(batch, reading);
    } finally {
      await done;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread[Symbol.asyncDispose]()));
  }

  /** Throws Refusal. */
  async #run(task: ParquetTask, answer: (ask: ParquetAsk) => Promise<Uint8Array | undefined>): Promise<void> {
    const thread = this.#free.pop()!;
    try {
      const refusal = await thread.run(task, answer, new AbortController().signal);
      if (refusal !== undefined) throw new Refusal(refusal.code, refusal.message, refusal.options);
    } catch (error) {
      throw error instanceof ThreadDied ? damaged(error) : error;
    } finally {
      this.#free.push(thread);
    }
  }
}

/** Refuses files that cannot be read, by their first and last bytes, so that such a file needs no thread. */
async function refuseOtherFiles(file: SpooledBody): Promise<void> {
  const text = async (start: number, end: number) =>
    Buffer.from(await file.read(Math.max(0, start), Math.min(end, file.bytes)));
  const beginning = await text(0, FILE_BYTES);
  const first = beginning.toString('latin1', 0, 4);
  const last = await text(file.bytes - 8, file.bytes);
  if (first === 'PARE') throw malformed('it is an encrypted Parquet file');
  if (first !== 'PAR1') {
    refuseFiles(beginning);
    throw malformed('it is no Parquet file');
  }
  if (file.bytes < 12 || last.toString('latin1', 4) !== 'PAR1') {
    throw malformed('it is a Parquet file whose end is missing: it must end in PAR1');
  }
  const footer = last.readUInt32LE(0);
  if (footer > MAX_FOOTER_BYTES) {
    throw invalidField('footer', footer, `must be at most ${MAX_FOOTER_BYTES} bytes: write fewer row groups`);
  }
}

function damaged({ cause }: ThreadDied): Refusal {
  const fault = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').slice(0, MAX_FAULT_LENGTH) : '';
  const known = /^(?:External: )?(?:Parquet error: |Arrow: |Parquet argument error: )/.test(fault)
    ? `: ${fault}`
    : '';
  return malformed(`the Parquet file is damaged, or needs more memory than a reader may take${known}`);
}
