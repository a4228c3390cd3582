/** Lists the files that read the time of day. All ages, waits and deadlines use the steady clock (src/platform/steady-clock.ts). */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The time of day is theirs because another process, another machine or a person made the time that they compare it with. */
const READERS = {
  'src/features/certificates/local-authority.ts': 'the validity of certificates',
  'src/cli/key-commands.ts': 'a person says until when a key is valid',
  'src/cli/usage-command.ts': 'the last day of a list',
  'src/compose/customer-routes-options.ts': 'the times in an answer',
  'src/compose/open-hosting.ts': 'counts of a day',
  'src/edges/dashboard/oidc/finish-sign-in.ts': 'times of a provider',
  'src/edges/dashboard/oidc/sign-in-attempt.ts': 'another process made the attempt',
  'src/edges/dashboard/sign-in-routes.ts': 'when a person signed in',
  'src/edges/hosting/create-hosting.ts':
    'the database says until when former files are served, and processes share ticket keys',
  'src/platform/ids.ts': 'the order of ids, over all processes',
  'src/platform/http/refuse-malformed.ts': 'the header Date',
  'src/platform/http/retry-after.ts': 'a server names a date',
  'src/platform/storage/folder-storage.ts': 'the times of files',
  'src/features/sites/collect-garbage.ts': 'the times of objects in the store',
  'src/features/sites/index-file.ts': 'another process says when a file changed',
  'src/features/sites/open-sites.ts': 'the database says when a site changed',
  'src/features/uploads/attempt.ts': 'the times of an upload, for people',
  'src/features/uploads/loads/open-source.ts': 'when an object is tried again, for people',
  'src/features/uploads/open-uploads.ts': 'the time of a publication',
};

test('no other file of src reads the time of day', () => {
  const files = globSync('src/**/*.ts');
  const code = (file: string) => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const readers = files.filter((file) => /\bDate\.now\b|new Date\(\)/.test(code(file)));
  expect(readers.sort()).toEqual(Object.keys(READERS).sort());
});
