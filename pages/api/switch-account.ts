/** Switches the session to another account of the person, and opens the overview. */
import { ask } from './request.ts';

/** Throws ApiError. */
export async function switchAccount(accountId: string): Promise<void> {
  await ask('POST', 'session', { accountId });
  // A new page has nothing of the former account.
  location.assign('/dashboard');
}
