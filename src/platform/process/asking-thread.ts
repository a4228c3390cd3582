/**
 * A thread that runs one task at a time. The thread asks the main thread for input, and hands over the result. It starts with its first
 * task. It ends when it is idle, after a failed task, and after a large task, because WebAssembly never gives memory back.
 */
import { Worker } from 'node:worker_threads';

/** Answers one request of a thread. The answers may come in any order. */
export type AnswerAsk<Ask> = (ask: Ask) => Promise<Uint8Array | undefined>;

export type FromThread<Ask, End> =
  /** The modules of the thread are loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly kind: 'end'; readonly end: End };

export type ToThread<Task> =
  | { readonly kind: 'task'; readonly task: Task }
  /** The thread ends between two steps of its task. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'answer'; readonly id: number; readonly bytes: Uint8Array | undefined };

/** The limit of the thread's JavaScript heap. A thread that exceeds it ends, and the process goes on. */
const OLD_GENERATION_MB = 256;
/** A thread that sends no message for this long counts as hung. The work on a file takes a second at most. */
const SILENCE_MS = 60_000;
const IDLE_MS = 10_000;
/**
 * The limit until the modules of a thread are loaded, as a multiple of the limit of silence. On a busy machine, loading takes longer than
 * any work.
 */
const START_TIMES = 5;

export interface AskingThreadOptions<Task> {
  /** The thread's module, which calls `serveTasks`. */
  readonly worker: URL;
  /** The `workerData` of the thread. */
  readonly workerData?: object;
  /** Whether the thread ends after the task. */
  readonly isLarge: (task: Task) => boolean;
  /** The thread ends when it has had no task for this long. */
  readonly idleMs?: number;
  /** The limit of the thread's silence, for tests. */
  readonly silenceMs?: number;
}

/** The error for a thread that ended during a task: it ran out of memory, hung, or has a fault. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

export class AskingThread<Task, Ask, End> implements AsyncDisposable {
  readonly #options: Required<AskingThreadOptions<Task>>;
  #worker: Worker | undefined;
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: AskingThreadOptions<Task>) {
    this.#options = { workerData: {}, silenceMs: SILENCE_MS, idleMs: IDLE_MS, ...options };
  }

  /**
   * Runs one task; tasks must not overlap. No answer is under way afterwards. Throws ThreadDied, the first error of `answer`, or
   * the reason of `signal`.
   */
  async run(task: Task, answer: AnswerAsk<Ask>, signal: AbortSignal): Promise<End> {
    clearTimeout(this.#idle);
    const worker = this.#open();
    worker.ref();
    const underWay = new Set<Promise<unknown>>();
    const answerAsk: AnswerAsk<Ask> = (ask) => {
      const answering = answer(ask).finally(() => underWay.delete(answering));
      underWay.add(answering);
      return answering;
    };
    try {
      const end = await this.#exchange(worker, task, answerAsk, signal);
      if (this.#options.isLarge(task)) await this.#close();
      else this.#rest(worker);
      return end;
    } catch (error) {
      if (error instanceof ThreadDied) await this.#kill();
      else await this.#close();
      throw error;
    } finally {
      // Wait for all answers: the caller undoes their effects.
      await Promise.allSettled(underWay);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #exchange(worker: Worker, task: Task, answer: AnswerAsk<Ask>, signal: AbortSignal): Promise<End> {
    const { promise, resolve, reject } = Promise.withResolvers<End>();
    const say = (message: ToThread<Task>, transfer: readonly ArrayBuffer[] = []) =>
      worker.postMessage(message, [...transfer]);
    const { silenceMs } = this.#options;
    const startMs = silenceMs * (this.#isReady ? 1 : START_TIMES);
    const onSilence = () => reject(new ThreadDied('it says nothing any more'));
    const silence = new Silence(startMs, silenceMs, onSilence);
    const hear = async (message: FromThread<Ask, End>) => {
      if (message.kind === 'ready') return silence.begin();
      if (message.kind === 'end') return resolve(message.end);
      silence.asked();
      const bytes = await answer(message.ask);
      signal.throwIfAborted();
      say({ kind: 'answer', id: message.id, bytes }, bytes === undefined ? [] : ownMemoryOf(bytes));
      silence.answered();
    };
    const onMessage = (message: FromThread<Ask, End>) => void hear(message).catch(reject);
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
    const worker = new Worker(this.#options.worker, {
      workerData: this.#options.workerData,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MB },
    });
    // The thread may also die between two tasks.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    worker.on('message', ({ kind }: FromThread<Ask, End>) => {
      if (kind === 'ready' && this.#worker === worker) this.#isReady = true;
    });
    this.#worker = worker;
    this.#isReady = false;
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => void this.#close(), this.#options.idleMs).unref();
  }

  /**
   * Asks the thread to end. Once its modules are loaded, a thread is terminated only if it does not end: if `terminate` stops a thread just
   * when it makes a stream of zlib, Node aborts the whole process ("close before init").
   */
  async #close(): Promise<void> {
    const [worker, isReady] = [this.#worker, this.#isReady];
    if (worker === undefined || !isReady) return this.#kill();
    this.#forget();
    worker.ref();
    worker.postMessage({ kind: 'stop' } satisfies ToThread<Task>);
    const hung = setTimeout(() => void worker.terminate(), this.#options.silenceMs);
    // `once` of node:events also rejects at an error of the thread.
    await new Promise((resolve) => worker.once('exit', resolve));
    clearTimeout(hung);
  }

  async #kill(): Promise<void> {
    await this.#forget()?.terminate();
  }

  #forget(): Worker | undefined {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    return worker;
  }
}

/** A timer for a hung thread. It runs while the thread waits for no answer, and starts anew after each answer. */
class Silence {
  readonly #ms: number;
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #asks = 0;
  #isOver = false;

  /** `startMs`: the limit until the first message. */
  constructor(startMs: number, ms: number, onEnd: () => void) {
    this.#ms = ms;
    this.#onEnd = onEnd;
    this.begin(startMs);
  }

  asked(): void {
    this.#asks++;
    clearTimeout(this.#timer);
  }

  answered(): void {
    this.#asks--;
    this.begin();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  begin(ms = this.#ms): void {
    clearTimeout(this.#timer);
    if (this.#asks === 0 && !this.#isOver) this.#timer = setTimeout(this.#onEnd, ms).unref();
  }
}

/** Returns the memory of a buffer, if no other buffer shares the memory. A transfer takes all of it. */
function ownMemoryOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
