import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createReadUploadFile } from '../../../src/features/sites/read-upload-file.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { createUploadFixture } from '../upload-fixture.ts';
import { OTHER_FORMS, variousEntries, WRITTEN_FORMS } from './forms.ts';
import { deflatedOf, inChunks, renderBody } from './render-body.ts';

const fixture = await createUploadFixture();
const account = await addAccount(fixture.database);

test.each(OTHER_FORMS)(
  'the same entries make the same XML as %s, whatever the chunks',
  async (form, { carried, write }) => {
    const entries = variousEntries(2_500).map(carried);
    const expected = deflatedOf(
      await renderBody('json', inChunks(WRITTEN_FORMS.json!.write(entries), 65_536)),
    );
    const body = write(entries);
    for (const size of [7, 63, 64, 65, 4_099, 65_536, body.length]) {
      expect(
        deflatedOf(await renderBody(form, inChunks(body, size))).equals(expected),
        `chunks of ${size}`,
      ).toBe(true);
    }
  },
);

test.each(OTHER_FORMS)(
  'entries of many bytes make the same XML as %s, although batches have other sizes there',
  async (form, { carried, write }) => {
    for (const bytes of [300, 1_000, 1_900]) {
      const entries = variousEntries(4_000).map((entry) =>
        carried({ ...entry, loc: longUrl(entry.loc, bytes) }),
      );
      const expected = deflatedOf(
        await renderBody('json', inChunks(WRITTEN_FORMS.json!.write(entries), 65_536)),
      );
      expect(deflatedOf(await renderBody(form, inChunks(write(entries), 65_536))).equals(expected)).toBe(
        true,
      );
    }
  },
);

test.each(OTHER_FORMS)(
  'the same entries make the same XML as %s byte by byte',
  async (form, { carried, write }) => {
    const entries = variousEntries(40).map(carried);
    const expected = deflatedOf(
      await renderBody('json', inChunks(WRITTEN_FORMS.json!.write(entries), 65_536)),
    );
    expect(deflatedOf(await renderBody(form, inChunks(write(entries), 1))).equals(expected)).toBe(true);
  },
);

test.each(OTHER_FORMS)(
  'an upload as %s publishes the files of the same upload as JSON',
  async (form, { carried, write }) => {
    const { hostname } = await addVerifiedDomain(fixture.database, account);
    const urls = variousEntries(12_345).map(carried);
    const members = { domain: hostname, sizeLimit: 'gsc-optimized' };
    const asJson = await fixture.upload(account, { ...members, urls });
    const body = write(urls);
    const asForm = await fixture.upload(account, body, {
      head: { form, query: { ...members, sitemapName: `as-${randomBytes(4).toString('hex')}` } },
    });
    expect(asForm).toMatchObject({ urlCount: 12_345, fileCount: 13 });
    const uploadIds = [asJson, asForm].map(({ uploadId }) => uploadId);
    const readFile = createReadUploadFile(fixture, uploadIds);
    for (let n = 1; n <= 13; n++) {
      const [one, other] = await Promise.all(uploadIds.map((uploadId) => readFile(uploadId, n)));
      expect(one).toBeDefined();
      expect(other!.equals(one!), `file ${n}`).toBe(true);
    }
  },
);

function longUrl(url: string, bytes: number): string {
  return `${url}#${'x'.repeat(bytes - url.length - 1)}`;
}
