/** A domain whose uploads are placed in the files of the live generation, and a view of its files. Deltas and placements share it. */
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect } from 'vitest';
import { examine } from '../../src/features/doctor/examine.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { createReadUploadFile } from '../../src/features/sites/read-upload-file.ts';
import { uploadPrefix } from '../../src/features/sites/site.ts';
import { addAccount, addServedDomain } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { createUploadFixture } from './upload-fixture.ts';

export interface LiveFile {
  readonly n: number;
  readonly etag: string;
  readonly last_modified: Date;
  readonly upload_id: string;
  readonly upload_n: number;
  readonly entries: number;
}

/** Each test gets a new domain. */
export async function createStableWorld() {
  const fixture = await createUploadFixture({ seesUnchanged: true, placement: 'stable' });
  const { database, storage } = fixture;
  const account = await addAccount(database);
  const uploader = await fixture.uploaderOf(account);
  let domain: Domain;
  const renew = async () => {
    domain = await addServedDomain(database, account);
  };
  beforeEach(renew);

  async function liveFiles(): Promise<LiveFile[]> {
    const { rows } = await database.query<LiveFile>(
      'SELECT * FROM sitemap_files WHERE domain_id = $1 AND to_seq IS NULL ORDER BY n',
      [domain.id],
    );
    expect(rows.map(({ n }) => n)).toEqual(rows.map((_, i) => i + 1));
    return rows;
  }

  return {
    ...{ fixture, account, uploader, renew, liveFiles },
    get domain() {
      return domain;
    },
    /** Returns what `read` finds in the XML of each file, sorted, with one text for each entry. */
    async published(read: (xml: string) => string[]): Promise<string[]> {
      const files = await liveFiles();
      const readFile = createReadUploadFile(fixture, [...new Set(files.map(({ upload_id }) => upload_id))]);
      const found: string[] = [];
      for (const { upload_id, upload_n, entries } of files) {
        const inFile = read(gunzipSync((await readFile(upload_id, upload_n))!).toString());
        expect(inFile).toHaveLength(entries);
        found.push(...inFile);
      }
      return found.sort();
    },
    findings: () => collect(examine({ database, storage }, domain.hostname)),
    /** Collects all due garbage, after a change of the due times. */
    async collectNow(): Promise<void> {
      await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
      await collectGarbage(fixture.collecting);
    },
    /** Checks that only the live files are left. */
    async expectNoOtherFiles(): Promise<void> {
      const live = await database.query<{ key: string }>(
        `SELECT DISTINCT upload_id || '/' || upload_n AS key FROM sitemap_files f WHERE domain_id = $1 AND to_seq IS NULL
            AND NOT EXISTS (SELECT FROM small_files s WHERE s.upload_id = f.upload_id AND s.n = upload_n)`,
        [domain.id],
      );
      const uploads = await database.query<{ id: string }>('SELECT id FROM uploads WHERE domain_id = $1', [
        domain.id,
      ]);
      const stored = new Set<string>();
      for (const { id } of uploads.rows) {
        for (const key of await fixture.keys(uploadPrefix(id))) {
          const [, n] = /\/(\d+)\.xml\.gz$/.exec(key) ?? [];
          if (n !== undefined) stored.add(`${id}/${n}`);
        }
      }
      expect([...stored].sort()).toEqual(live.rows.map(({ key }) => key).sort());
    },
  };
}
