/** Sends an input with its progress on the status line. */
import type { RepeatableBody } from '../http/connection.ts';
import type { Input } from '../input/open-input.ts';
import type { Encoding, UploadForm } from '../upload/form.ts';
import { badSetting } from '../waypost-error.ts';
import { startProgress } from './progress.ts';
import type { Session } from './session.ts';

export interface SendInputOptions {
  readonly gzip?: boolean;
  readonly quiet?: boolean;
  /** The text for a user who stops the program when all is sent, because the request may have succeeded. */
  readonly maybeDone: string;
}

/** The parameters of the library's methods beside the body. */
export interface SentInput {
  readonly form: UploadForm;
  readonly encoding: Encoding | undefined;
  readonly gzip: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Sends the input, and closes it at the end. Throws WaypostError. */
export async function sendInput<Answer>(
  { out, signal }: Session,
  { form, encoding, body, totalBytes, close }: Input,
  { gzip, quiet = false, maybeDone }: SendInputOptions,
  send: (body: RepeatableBody, options: SentInput) => Promise<Answer>,
): Promise<Answer> {
  if (gzip && encoding) throw badSetting('The input is compressed already: leave out --gzip.');
  const progress = startProgress(totalBytes, quiet);
  let isSent = false;
  async function* counted() {
    isSent = false;
    progress.begin();
    for await (const chunk of body.open()) {
      progress.add(chunk.length);
      yield chunk;
    }
    isSent = true;
  }
  try {
    const content = { open: counted, canOpen: () => body.canOpen() };
    return await send(content, { form, encoding, gzip, signal });
  } catch (error) {
    if (signal.aborted && isSent) out.say(maybeDone);
    throw error;
  } finally {
    progress.stop();
    await close();
  }
}
