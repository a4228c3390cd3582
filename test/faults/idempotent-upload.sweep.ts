/** An upload whose first answer may be lost is sent again: it is published once, and both get the same answer. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Received } from '../service/support/send.ts';
import { sendAgain } from './support/send-again.ts';
import { sweep } from './support/sweep.ts';
import type { RepeatableUpload } from './support/world.ts';

/** Counts committed uploads, also those that are deleted later. */
const COUNT_UPLOADS = `
  CREATE TABLE IF NOT EXISTS published (upload_id text);
  TRUNCATE published;
  CREATE OR REPLACE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN INSERT INTO published VALUES (new.id); RETURN NULL; END';
  CREATE OR REPLACE TRIGGER count_upload AFTER INSERT ON uploads FOR EACH ROW EXECUTE FUNCTION count_upload()`;

let upload: RepeatableUpload;
let first: Received | undefined;

sweep('an upload with an Idempotency-Key, which is sent again', {
  victim: 'api',
  async prepare(world) {
    await world.publish('', 2500);
    await world.database.query(COUNT_UPLOADS);
  },
  async run(world) {
    upload = world.openUpload('', 1700, randomUUID());
    first = await upload.send();
    return first !== undefined;
  },
  async check(world) {
    const { wasDoneBefore } = await sendAgain(upload, first);
    expect((await world.database.query('SELECT FROM published')).rowCount).toBe(1);
    if (wasDoneBefore) return;
    await world.passTime();
    await world.checkAll();
  },
});
