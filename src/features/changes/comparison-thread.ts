/**
 * The thread that compares uploads (workers/compare-uploads.ts), as the main thread sees it: it runs one task at a time,
 * and answers what the thread asks for. The thread starts with its first task. It ends when it is idle, and after a large
 * task, because WebAssembly never gives memory back.
 */
import { Worker } from 'node:worker_threads';
import type { AnswerAsk, CompareEnd, CompareTask, FromThread, ToThread } from './thread-messages.ts';

const WORKER = new URL('../../../workers/compare-uploads.ts', import.meta.url);

/** The limit of the thread's JavaScript heap. A thread that exceeds it ends, and the process goes on. */
const OLD_GENERATION_MB = 256;
/** A thread that sends no message for this long hangs: a file takes a second at most. */
const SILENCE_MS = 60_000;
const IDLE_MS = 10_000;
/** The thread ends after a task with more URLs: their table takes some 10 MB. */
const LARGE_URLS = 500_000;

export interface ComparisonThreadOptions {
  /** The thread's module and the limit of its silence, for tests. */
  readonly worker?: URL;
  readonly silenceMs?: number;
}

/** The error for a thread that ended during a task: it ran out of memory, hung, or has a fault. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

export class ComparisonThread implements AsyncDisposable {
  readonly #entry: URL;
  readonly #silenceMs: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ worker = WORKER, silenceMs = SILENCE_MS }: ComparisonThreadOptions = {}) {
    this.#entry = worker;
    this.#silenceMs = silenceMs;
  }

  /**
   * Runs one task; tasks must not overlap. No answer is under way afterwards. Throws ThreadDied, the first error of `answer`, or
   * the reason of `signal`.
   */
  async run(task: CompareTask, answer: AnswerAsk, signal: AbortSignal): Promise<CompareEnd> {
    clearTimeout(this.#idle);
    const worker = this.#open();
    worker.ref();
    const underWay = new Set<Promise<unknown>>();
    const answerAsk: AnswerAsk = (ask) => {
      const answering = answer(ask).finally(() => underWay.delete(answering));
      underWay.add(answering);
      return answering;
    };
    try {
      const end = await this.#exchange(worker, task, answerAsk, signal);
      if (task.room > LARGE_URLS) await this.#close();
      else this.#rest(worker);
      return end;
    } catch (error) {
      await this.#close();
      throw error;
    } finally {
      // The caller undoes what the answers did, so none may still be under way.
      await Promise.allSettled(underWay);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #exchange(worker: Worker, task: CompareTask, answer: AnswerAsk, signal: AbortSignal): Promise<CompareEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<CompareEnd>();
    const say = (message: ToThread, transfer: readonly ArrayBuffer[] = []) =>
      worker.postMessage(message, [...transfer]);
    const silence = new Silence(this.#silenceMs, () => reject(new ThreadDied('it says nothing any more')));
    const hear = async (message: FromThread) => {
      if (message.kind === 'end') return resolve(message.end);
      silence.asked();
      const bytes = await answer(message.ask);
      signal.throwIfAborted();
      say({ kind: 'answer', id: message.id, bytes }, bytes === undefined ? [] : ownMemoryOf(bytes));
      silence.answered();
    };
    const onMessage = (message: FromThread) => void hear(message).catch(reject);
    const onError = (cause: unknown) => reject(new ThreadDied('it failed', { cause }));
    const onExit = (code: number) => reject(new ThreadDied(`it ended with ${code}`));
    const onAbort = () => reject(signal.reason);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else say({ kind: 'task', task });
    return promise.finally(() => {
      silence.end();
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
    });
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#entry, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MB },
    });
    // The thread may also die between two tasks.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => void this.#close(), IDLE_MS).unref();
  }

  async #close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** A timer for a hung thread. It runs only while the thread sends no message and waits for no answer. */
class Silence {
  readonly #ms: number;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #asks = 0;
  #isOver = false;

  constructor(ms: number, onEnd: () => void) {
    this.#ms = ms;
    this.#onEnd = onEnd;
    this.#begin();
  }

  asked(): void {
    this.#asks++;
    clearTimeout(this.#timer);
  }

  answered(): void {
    this.#asks--;
    this.#begin();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    if (this.#asks === 0 && !this.#isOver) this.#timer = setTimeout(this.#onEnd, this.#ms).unref();
  }
}

/** Returns the memory of a buffer, if a transfer of it takes no other buffers along. */
function ownMemoryOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
