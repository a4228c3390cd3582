/** Who reads the time of day. All ages, waits and deadlines go by the steady clock (src/platform/steady-clock.ts). */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The time of day is theirs because another process, another machine or a person made the time that they compare it with. */
const READERS = {
  'src/certificates/local-authority.ts': 'the validity of certificates',
  'src/cli/key-commands.ts': 'a person says until when a key is valid',
  'src/compose/create-site-writer.ts': 'the database says when a site changed',
  'src/compose/dashboard-routes-options.ts': 'a person says until when a key is valid',
  'src/compose/open-api.ts': 'the times in an answer',
  'src/compose/start-crawl-counts.ts': 'counts of a day',
  'src/dashboard/oidc/finish-sign-in.ts': 'times of a provider',
  'src/dashboard/oidc/sign-in-attempt.ts': 'another process made the attempt',
  'src/dashboard/sign-in-routes.ts': 'when a person signed in',
  'src/hosting/create-hosting.ts':
    'the database says until when former files are served, and processes share ticket keys',
  'src/platform/ids.ts': 'the order of ids, over all processes',
  'src/platform/http/refuse-malformed.ts': 'the header Date',
  'src/platform/http/retry-after.ts': 'a server names a date',
  'src/platform/storage/folder-storage.ts': 'the times of files',
  'src/sites/collect-garbage.ts': 'the times of objects in the store',
  'src/uploads/attempt.ts': 'the times of an upload, for people',
};

test('no other file of src reads the time of day', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.startsWith('src/dashboard/web/'));
  const code = (file: string) => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const readers = files.filter((file) => /\bDate\.now\b|new Date\(\)/.test(code(file)));
  expect(readers.sort()).toEqual(Object.keys(READERS).sort());
});
