/** The rule of DATABASE_URL. */
import { parse } from 'pg-connection-string';

/**
 * Returns why a URL of Postgres cannot be used, or undefined. Never repeats the URL, which has a password. Asks the parser of pg, because
 * the URL class rejects postgres://user@/db?host=/run/postgresql.
 */
export function problemOfPostgresUrl(url: string): string | undefined {
  if (!/^postgres(ql)?:\/\//i.test(url)) return 'must be a URL that begins with postgres:// or postgresql://';
  try {
    parse(url);
    return undefined;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    // The parser reads the files of sslrootcert, sslcert and sslkey.
    if (path !== undefined) return `names the file ${path}, which cannot be read (${code})`;
    return 'cannot be read as a URL: look at the port, and in a name or a password write / as %2F, # as %23, ? as %3F, @ as %40';
  }
}
