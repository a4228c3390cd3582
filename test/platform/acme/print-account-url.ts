/** A program: prints the URL of a new account at DIRECTORY_URL, or why there is none. */
import { AcmeError } from '../../../src/platform/acme/acme-error.ts';
import { clientOf } from './issue.ts';

using client = clientOf({ directoryUrl: process.env.DIRECTORY_URL ?? '' });
try {
  console.log(await client.account());
} catch (error) {
  if (!(error instanceof AcmeError)) throw error;
  console.log(error.kind, error.message);
}
