/**
 * The upload of this tab. It goes on while the person looks at other pages of the dashboard, so its state lives outside of the pages:
 *
 *   none ──start──▶ sending ──▶ ended ──clear──▶ none
 *                      ▲          │
 *                      └──start───┘  again, without a dry run, with a cure, or to find all mistakes
 */
import type { Upload } from '../../../client/src/answers.ts';
import { ApiError } from '../../api/request.ts';
import { sendUpload, type UploadRequest } from '../../api/send-upload.ts';
import { addHolder } from '../../api/session-end.ts';
import { beginWork, endWork } from '../../api/tab-work.ts';
import { createWatched } from '../../api/watched.ts';
import { announce } from '../../parts/announce.tsx';
import { useWatched } from '../../parts/use-watched.ts';
import type { Encoding, UploadForm } from './file-form.ts';
import { mistakesIn } from './mistakes/found-mistakes.ts';
import type { Choices, Parameters } from './reading.ts';
import type { Settings } from './settings.ts';

export interface Asked {
  readonly file: File;
  readonly form: UploadForm;
  /** Undefined if the file is not compressed. */
  readonly encoding: Encoding | undefined;
  readonly settings: Settings;
  readonly choices: Choices;
  /** The name of the delimiter that the service uses. Undefined if the file is no table, or the page could not read it. */
  readonly delimiter: string | undefined;
  /** The parameters for reading the file. The query of the request has them, too. */
  readonly parameters: Parameters;
  readonly request: UploadRequest;
  /** The hostname of the domain. Undefined if only the file may name it. */
  readonly hostname: string | undefined;
  /** The name of the sitemap for people, as far as it is known before the upload. */
  readonly sitemapName: string;
  /** The ids of the uploads that were under way before. */
  readonly others: ReadonlySet<string>;
}

export type Outcome =
  | { readonly kind: 'published' | 'unchanged' | 'checked'; readonly upload: Upload }
  | { readonly kind: 'held' | 'refused'; readonly error: ApiError }
  | { readonly kind: 'failed' | 'cancelled'; readonly error: unknown };

export type CurrentUpload =
  | { readonly state: 'none' }
  | {
      readonly state: 'sending';
      readonly asked: Asked;
      /** Whether the upload has a mistake, and is read only to find more of them. Then it publishes nothing. */
      readonly isFinding: boolean;
      readonly isReachable: boolean;
      readonly isCancelling: boolean;
      readonly cancel: () => void;
    }
  | { readonly state: 'ended'; readonly asked: Asked; readonly outcome: Outcome };

const current = createWatched<CurrentUpload>({ state: 'none' });

/** Whether a request is under way. A second one for the same upload may follow before its outcome is shown. */
let isUnderWay = false;

export const useCurrentUpload = (): CurrentUpload => useWatched(current);

addHolder(() => {
  const upload = current.value();
  if (upload.state !== 'ended') return upload.state === 'sending';
  return upload.outcome.kind !== 'published' && upload.outcome.kind !== 'unchanged';
});

/** A refused upload of at most this length is read once more to its end, to find all mistakes. */
const FOUND_AT_ONCE_BYTES = 50_000_000;

/** Starts an upload. Does nothing while another one is under way. */
export async function startUpload(asked: Asked): Promise<void> {
  const outcome = await run(asked, false);
  if (outcome === undefined) return;
  if (outcome.kind === 'refused' && isCutShort(outcome.error) && asked.file.size <= FOUND_AT_ONCE_BYTES) {
    await findMistakes(asked, outcome);
  } else end(asked, outcome);
}

/** Reads the whole file of a refused upload to find all mistakes. If that fails, `former` stays the outcome. */
export async function findMistakes(asked: Asked, former: Outcome): Promise<void> {
  const query = new URLSearchParams(asked.request.query);
  query.set('dryRun', 'true');
  const outcome = await run({ ...asked, request: { ...asked.request, query } }, true);
  end(asked, outcome?.kind === 'refused' ? outcome : former);
}

/**
 * Returns whether the upload ended before all mistakes were found. An upload ends soon after its first mistake. Only a dry run tells how
 * many rows it has read.
 */
function isCutShort(error: ApiError): boolean {
  const { errors, total } = mistakesIn(error);
  return errors.length > 0 && total === undefined;
}

/** Sends the request, and resolves to the outcome. Undefined: another request is under way. */
async function run(asked: Asked, isFinding: boolean): Promise<Outcome | undefined> {
  if (isUnderWay) return undefined;
  isUnderWay = true;
  const stop = new AbortController();
  let sending = {
    state: 'sending' as const,
    asked,
    isFinding,
    isReachable: true,
    isCancelling: false,
    cancel,
  };
  const change = (part: Partial<typeof sending>) => {
    sending = { ...sending, ...part };
    current.change(sending);
  };
  function cancel() {
    stop.abort();
    change({ isCancelling: true });
  }
  current.change(sending);
  beginWork(cancel);
  const watch = {
    cancelled: stop.signal,
    reachable: (isReachable: boolean) => {
      if (isReachable !== sending.isReachable) change({ isReachable });
    },
  };
  const outcome = await sendUpload(asked.request, watch).then(succeeded, (error) =>
    failed(error, stop.signal.aborted),
  );
  endWork();
  isUnderWay = false;
  return outcome;
}

/** Shows the outcome. A held upload ends a second time when it is published. */
export function end(asked: Asked, outcome: Outcome): void {
  announce(SPOKEN[outcome.kind]);
  current.change({ state: 'ended', asked, outcome });
}

export function clearUpload(): void {
  if (current.value().state === 'ended') current.change({ state: 'none' });
}

export function succeeded(upload: Upload): Outcome {
  if (upload.dryRun) return { kind: 'checked', upload };
  return { kind: upload.unchanged ? 'unchanged' : 'published', upload };
}

function failed(error: unknown, isCancelled: boolean): Outcome {
  if (!(error instanceof ApiError)) {
    reportError(error);
    return { kind: 'failed', error };
  }
  const { status, code, details } = error;
  if (isCancelled && code !== 'UNSURE') return { kind: 'cancelled', error };
  if (status === 409 && typeof details.removed === 'number') return { kind: 'held', error };
  return { kind: status === 422 || status === 400 ? 'refused' : 'failed', error };
}

const SPOKEN: Readonly<Record<Outcome['kind'], string>> = {
  published: 'The upload is published.',
  unchanged: 'The sitemap has these URLs already. Nothing has changed.',
  checked: 'The file is right.',
  held: 'The upload is held.',
  refused: 'The upload was refused.',
  failed: 'The upload has failed.',
  cancelled: 'The upload is cancelled.',
};
