/** An upload session of four parts, two of whose tails are packed, from its opening to its commit (docs/decisions/0067). */
import { expect, vi } from 'vitest';
import { PARTED_URLS, type PartedUpload } from './support/parted-upload.ts';
import { sweep } from './support/sweep.ts';

/** A commit whose process died keeps others away for 10 s. */
const SOON = { timeout: 30_000, interval: 100 };
let parted: PartedUpload;

sweep('an upload session of four parts', {
  victim: 'api',
  async prepare(world) {
    parted = world.openParts('');
  },
  run: async () => (await parted.send()) !== undefined,
  async again(world) {
    const goOn = async () => (await parted.send()) ?? Promise.reject(new Error('no answer'));
    const first = await vi.waitFor(goOn, SOON);
    const { data } = JSON.parse(String(first.body));
    expect(data).toMatchObject({ urlCount: PARTED_URLS, filesGenerated: 3 });
    // The answer of a commit stays.
    expect(String((await goOn()).body)).toBe(String(first.body));
    const { rows } = await world.database.query(
      "SELECT count(*)::int AS count FROM upload_session_writers w JOIN upload_sessions s ON s.id = w.session_id WHERE s.status <> 'open'",
    );
    expect(rows[0].count).toBe(0);
  },
});
