/** Writes the rejected entries of an upload to a file, even if the upload was refused because of them. */
import { createWriteStream } from 'node:fs';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../answers.ts';
import { badSetting, WaypostError } from '../waypost-error.ts';
import type { Session } from './session.ts';
import { Stopped } from './stop-signal.ts';

/**
 * `path`: undefined if the user did not ask for a file. Without rejected entries the file is empty. If the entries cannot be saved, says
 * so: the result of the upload stays.
 */
export async function saveRejects(
  { waypost, out }: Session,
  path: string | undefined,
  upload: () => Promise<Upload>,
): Promise<Upload> {
  if (path === undefined) return upload();
  await refuseUnwritable(path);
  const save = async (uploadId: unknown) => {
    const hasRejects = typeof uploadId === 'string';
    try {
      if (!hasRejects) return await writeFile(path, '');
      await pipeline(await waypost.openRejects(uploadId), createWriteStream(path));
      out.say(`The rejected entries are in ${path}.`);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      const { message } = error as Error;
      const toRead = hasRejects ? ` To read them: waypost uploads rejects ${uploadId}` : '';
      out.say(`The rejected entries could not be saved (${message}).${toRead}`);
    }
  };
  try {
    const uploaded = await upload();
    await save(uploaded.rejectsUrl && uploaded.uploadId);
    return uploaded;
  } catch (error) {
    if (error instanceof WaypostError && error.details.rejectsUrl) await save(error.details.uploadId);
    throw error;
  }
}

/** The folder of a file that exists, such as /dev/stderr, need not be writable. */
async function refuseUnwritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (path === '-' || found?.isDirectory())
    throw badSetting(`--rejects ${path}: name a file for the rejected entries, as in rejects.ndjson.`);
  await access(found === undefined ? dirname(path) : path, constants.W_OK).catch(() => {
    throw badSetting(
      found === undefined ? `Cannot write to the folder of ${path}.` : `Cannot write to ${path}.`,
    );
  });
}
