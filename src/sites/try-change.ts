/** Changes a site and takes the change back: what would come of it, and whether it is refused. Nothing is written. */
import type { ChangeSite } from '../domains/domain.ts';
import { type Database, inTransaction } from '../platform/postgres/database.ts';

export function createTryChange(database: Database): ChangeSite {
  return (_domain, change) => {
    const takenBack = new Error('taken back');
    const tried = Promise.withResolvers<Awaited<ReturnType<typeof change>>>();
    const work = inTransaction(database, async (transaction) => {
      tried.resolve(await change(transaction));
      throw takenBack;
    });
    return work.catch((error) => {
      if (error !== takenBack) throw error;
      return tried.promise;
    });
  };
}
