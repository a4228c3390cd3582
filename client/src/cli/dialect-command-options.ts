/** The options of commands that say how an input is written. */
import { type Command, Option } from 'commander';
import { DATE_SPELLINGS, type DialectOptions, dialectQuery } from '../upload/dialect-options.ts';
import { parseCount } from './parse-option.ts';

/** Parses an option that may be repeated. */
export const collect = (value: string, before: readonly string[] = []) => [...before, value];

export function addDialectOptions(command: Command): void {
  command
    .option(
      '--columns <columns>',
      'which columns are read: loc:Address,lastmod:Last Modified; others are ignored',
    )
    .option(
      '--where <column:value>',
      'take only these entries, as in "Status Code:200"; may be repeated',
      collect,
    )
    .addOption(
      new Option('--delimiter <name>', 'what separates cells, if the header does not tell').choices([
        'comma',
        'semicolon',
        'tab',
        'pipe',
        'ctrl-a',
      ]),
    )
    .option(
      '--no-header',
      'the first record is an entry; --columns then has members in order, as in -,loc,-,lastmod',
    )
    .option('--skip-lines <n>', 'lines before the header', parseCount)
    .addOption(new Option('--escape <how>', 'how cells protect quotes and separators').choices(['backslash']))
    .addOption(new Option('--quote <how>', 'none: quotes are text, and protect nothing').choices(['none']))
    .addOption(
      new Option('--charset <name>', 'default: utf-8, or by a byte order mark').choices([
        'utf-8',
        'utf-16le',
        'utf-16be',
        'windows-1252',
        'iso-8859-15',
      ]),
    )
    .addOption(new Option('--decimal <sign>', 'the sign in numbers').choices(['point', 'comma']))
    .option('--null <text>', 'a text that means: no value; may be repeated', collect)
    .option('--base-url <url>', 'stands before URLs that are paths');
  addDateOptions(command);
}

/** Adds the options for times and dates, which uploads and deltas share. */
export function addDateOptions(command: Command): Command {
  return command
    .option('--timezone <zone>', 'of times without one: UTC, +02:00, Europe/Berlin')
    .addOption(new Option('--dates <how>', 'how dates are written').choices(DATE_SPELLINGS));
}

/**
 * Removes the default of `header`: Commander sets it to true without --no-header, and the service refuses the parameter for forms other
 * than CSV.
 */
export function withoutDefaultHeader<Options extends DialectOptions>(options: Options): Options {
  return { ...options, header: options.header === false ? false : undefined };
}

/** Returns the options as a user writes them on a command line. */
export function commandLineOf(options: DialectOptions): string {
  const parts = Object.entries(dialectQuery(options)).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (name === 'header') return value === true || value === 'true' ? [] : ['--no-header'];
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const values: readonly (string | number | boolean)[] = Array.isArray(value) ? value : [value];
    return values.map((each) => `${option} ${quoted(String(each))}`);
  });
  return parts.map((part) => ` ${part}`).join('');
}

/** Returns a text as a shell takes it for one argument. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
