import { expect, test } from 'vitest';
import { unlinkIdentity } from '../../src/features/accounts/link-identity.ts';
import { endAllSessions } from '../../src/features/accounts/session-store.ts';
import { addAccount } from '../support/accounts.ts';
import { addIdentity, addSignedIn } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();

test('whoever has lost the session while the request came removes no identity', async () => {
  const person = await addSignedIn(database, await addAccount(database));
  const { userId } = person.session;
  for (const subject of ['first', 'second']) await addIdentity(database, userId, subject);
  const remove = (subject: string) =>
    unlinkIdentity(database, person, { issuer: 'https://id.example.net', subject }, () => true);
  const left = async () =>
    (await database.query('SELECT subject FROM identities WHERE user_id = $1 ORDER BY subject', [userId]))
      .rows;
  await endAllSessions(database, userId);
  await expect(remove('first')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await left()).toEqual([{ subject: 'first' }, { subject: 'second' }]);
});
