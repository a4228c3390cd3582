/** A real list: an upload of one entry for every Debian package, read back by a crawler. */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaFor } from '../sitemap/schema-judge.ts';
import { needs } from '../support/needs.ts';
import { crawl, fetchXml } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { uploadDocument } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';
import { createFolder } from './support/waypost.ts';

const locs = packageNames().map((name) => `https://packages.debian.org/${name}`);
const waypost = await useWaypost();

test(
  'every Debian package is uploaded and read back, in valid files',
  needs('names of Debian packages'),
  async () => {
    const customer = await createCustomer(waypost);
    const { hostname } = await customer.verifiedDomain();
    const members = { domain: hostname, sizeLimit: 'gsc-optimized' };
    const data = await customer.publish(uploadDocument(members, locs.length, (i) => ({ loc: locs[i] })));
    const files = Math.ceil(locs.length / 1000);
    expect(data).toMatchObject({ urlCount: locs.length, filesGenerated: files });

    const crawled = [];
    for await (const file of crawl(waypost, hostname)) crawled.push(file);
    expect(crawled).toHaveLength(files);
    const served = crawled.flatMap(({ xml }) =>
      Array.from(xml.matchAll(/<loc>(.*?)<\/loc>/g), ([, loc]) => loc),
    );
    expect(served).toEqual(locs);

    const index = await fetchXml(waypost, hostname, '/sitemap.xml');
    await using folder = await createFolder();
    await mkdir(join(folder.path, 'files'));
    for (const { path, xml } of crawled) await writeFile(join(folder.path, 'files', path), xml);
    await writeFile(join(folder.path, 'index.xml'), index);
    const paths = crawled.map(({ path }) => join(folder.path, 'files', path));
    expect(xmllint(schemaFor(crawled[0]!.xml), paths)).toBe('');
    expect(xmllint(schemaFor(index), [join(folder.path, 'index.xml')])).toBe('');
  },
);

/** The complaints of xmllint about the files; none without a schema. */
function xmllint(schemaFile: string | undefined, files: string[]): string {
  if (schemaFile === undefined) return '';
  const args = ['--nonet', '--noout', '--schema', schemaFile, ...files];
  const { status, stderr } = spawnSync('xmllint', args, { encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}

function packageNames(): string[] {
  const { stdout } = spawnSync('apt-cache', ['pkgnames'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const names = (stdout ?? '').split('\n').filter((name) => name !== '');
  return names.sort();
}
