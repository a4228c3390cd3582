import { expect, test } from 'vitest';
import { formOfName } from '../../pages/views/upload/file-form.ts';
import { FIRST_SETTINGS, faultsOf, forAnotherFile, queryOf } from '../../pages/views/upload/settings.ts';
import { parseMember, UPLOAD_PARAMETERS } from '../../src/features/uploads/upload-members.ts';

const DOMAIN = { id: 'domain_1', hostname: 'sitemaps.example.com' };
const settings = { ...FIRST_SETTINGS, domain: DOMAIN };
const file = { file: {}, form: 'csv', members: {} } as const;

test('names say form and compression', () => {
  expect(formOfName('urls.csv.gz')).toEqual({ form: 'csv', encoding: 'gzip' });
  expect(formOfName('Export 2026.01.JSONL')).toEqual({ form: 'ndjson', encoding: undefined });
  expect(formOfName('urls.zst')).toEqual({ form: undefined, encoding: 'zstd' });
  expect(formOfName('csv')).toEqual({ form: undefined, encoding: undefined });
});

test('what nobody changed is not said, so that a document may say it', () => {
  expect(String(queryOf(settings))).toBe('domain=sitemaps.example.com');
  expect(String(queryOf({ ...settings, isDomainInFile: true }))).toBe('');
});

test('rows with mistakes are left out up to a percent, or up to the number that was counted', () => {
  const skipping = { ...settings, skipsInvalid: true };
  expect(queryOf(skipping).get('maxRejectedPercent')).toBe('1');
  expect(queryOf({ ...skipping, maxRejected: '7' }).get('maxRejectedPercent')).toBeNull();
  expect(queryOf({ ...skipping, maxRejected: '7' }).get('maxRejected')).toBe('7');
});

test('for another file, the guard is on again and no number of URLs is expected', () => {
  const former = { ...settings, sitemapName: 'products', force: true, expectedUrlCount: '25000' };
  expect(forAnotherFile(former)).toEqual({ ...settings, sitemapName: 'products' });
});

test('the service knows every parameter and takes its value', () => {
  const all = {
    ...settings,
    ...{ sitemapName: 'products', sizeLimit: 'gsc-optimized' as const, isDryRun: true, force: true },
    ...{ skipsInvalid: true, maxRejectedPercent: '2.5', expectedUrlCount: '25000' },
  };
  expect(faultsOf(all, file)).toEqual({});
  const query = queryOf(all);
  expect([...query.keys()].every((name) => UPLOAD_PARAMETERS.includes(name as never))).toBe(true);
  expect(parseMember('sizeLimit', query.get('sizeLimit'))).toBe('gsc-optimized');
  expect(parseMember('sitemapName', query.get('sitemapName'))).toBe('products');
});

test.each([
  [{ domain: undefined }, {}, 'domain'],
  [{ domain: undefined, isDomainInFile: true }, {}, 'domain'],
  [{}, { file: undefined }, 'file'],
  [{}, { form: undefined }, 'form'],
  [{ sitemapName: 'a b' }, {}, 'sitemapName'],
  [{ sitemapName: 'index' }, {}, 'sitemapName'],
  [{ sitemapName: 'default' }, {}, 'sitemapName'],
  [{ sitemapName: 'a'.repeat(65) }, {}, 'sitemapName'],
  [{ expectedUrlCount: '0' }, {}, 'expectedUrlCount'],
  [{ expectedUrlCount: '1.5' }, {}, 'expectedUrlCount'],
  [{ skipsInvalid: true, maxRejectedPercent: '' }, {}, 'maxRejectedPercent'],
  [{ skipsInvalid: true, maxRejectedPercent: '101' }, {}, 'maxRejectedPercent'],
  [{ sitemapName: 'products' }, { form: 'json', members: { sitemapName: 'other' } }, 'sitemapName'],
  [{ isDryRun: true }, { form: 'json', members: { dryRun: false } }, 'isDryRun'],
] as const)('%j of a file %j are put right at %s', (part, known, field) => {
  const faults = faultsOf({ ...settings, ...part }, { ...file, ...known });
  expect(Object.keys(faults)).toEqual([field]);
});

test('a document may name its domain, and numbers that nobody sees are not judged', () => {
  const inFile = { ...settings, domain: undefined, isDomainInFile: true, maxRejected: 'many' };
  expect(faultsOf(inFile, { ...file, form: 'json', members: { domain: 'a.example' } })).toEqual({});
});
