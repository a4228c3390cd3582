/** `waypost sessions`: uploads a list in parts, from many processes and machines at once. */
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { SessionPart } from '../answers.ts';
import type { DialectOptions } from '../upload/dialect-options.ts';
import type { SessionOptions } from '../upload/session-options.ts';
import { badSetting } from '../waypost-error.ts';
import { allOf } from './all-of.ts';
import { addDialectOptions, withoutDefaultHeader } from './dialect-command-options.ts';
import {
  addListOptions,
  addThresholdOptions,
  checkThresholds,
  type GuardOptions,
  guardsOf,
} from './guard-options.ts';
import { shownBytes } from './output.ts';
import { parseCount } from './parse-option.ts';
import { counted, printUpload } from './print-upload.ts';
import { sendInput } from './send-input.ts';
import { openSession, type Session } from './session.ts';
import {
  addFormOptions,
  addSourceOptions,
  checkSource,
  openSource,
  type SourceOptions,
} from './source-options.ts';

const EXAMPLES = `
Example, with a part from each of many tasks:
  $ id=$(waypost sessions open -d sitemaps.example.com --idempotency-key "$RUN_ID")
  $ waypost sessions put "$id" 1 part-1.csv.gz > part-1      prints 1:<digest>
  $ waypost sessions put "$id" 2 part-2.csv.gz > part-2
  $ cat part-1 part-2 | waypost sessions commit "$id" -

A session that is not committed ends by itself, a day after its last part.`;

const MAYBE_RECEIVED = 'The whole part was sent, so it may have arrived. See: waypost sessions show';

export function addSessionsCommands(program: Command): void {
  const sessions = program
    .command('sessions')
    .description('upload a list in parts, from many tasks at once, and publish them together')
    .addHelpText('after', EXAMPLES);
  addOpenCommand(sessions);
  addPutCommand(sessions);
  addCommitCommand(sessions);
  addListCommand(sessions);
  addShowCommand(sessions);
  sessions
    .command('end')
    .description('end a session without publishing it')
    .argument('<session-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const ended = await waypost.abort(id);
      out.printJson(ended);
      out.print(`${id}: ${ended.status}`);
    });
}

interface OpenOptions extends GuardOptions, Pick<SessionOptions, 'sizeLimit' | 'placement'> {
  readonly domain: string;
}

function addOpenCommand(sessions: Command): void {
  const open = sessions
    .command('open')
    .description('open a session, and print its id')
    .requiredOption('-d, --domain <hostname>', 'the domain')
    .option('-n, --name <name>', 'name of the sitemap; without it, the unnamed one')
    .option('--expect <n>', 'publish only if all parts together have exactly so many URLs', parseCount)
    .option(
      '--idempotency-key <key>',
      'such as the id of a run: for a day, the same key gives the same session',
    );
  addListOptions(addThresholdOptions(open)).action(async (_options: object, command: Command) => {
    const options = command.optsWithGlobals<OpenOptions>();
    checkThresholds(options);
    const { waypost, out } = await openSession(command);
    const opened = await waypost.session(options.domain, { ...options, ...guardsOf(options) });
    out.printJson(opened);
    out.print(opened.id);
  });
}

interface PutOptions extends SourceOptions, DialectOptions {}

function addPutCommand(sessions: Command): void {
  const put = sessions
    .command('put')
    .description('send a part; it replaces the part of its number. Prints what the commit names it by')
    .argument('<session-id>')
    .argument('<part>', 'its number, from 1; entries are published in the order of the parts', parseCount)
    .argument('[files...]', 'files in order, or - for standard input');
  addSourceOptions(addFormOptions(put), 'send');
  addDialectOptions(put);
  put.action(async (id: string, part: number, files: string[], _options: object, command: Command) => {
    const options = withoutDefaultHeader(command.optsWithGlobals<PutOptions>());
    checkSource(files, options);
    const session = await openSession(command);
    const input = await openSource(session, files, options);
    const received = await sendInput(
      session,
      input,
      { ...options, maybeDone: MAYBE_RECEIVED },
      (body, sent) => session.waypost.partBody(id, part, body, { ...options, ...sent }),
    );
    const { out } = session;
    out.printJson(received);
    out.print(nameOf(received));
    const { urlCount, rejected } = received;
    out.say(`Received ${counted(urlCount, 'URL')}${rejected === 0 ? '' : `, and rejected ${rejected}`}.`);
  });
}

interface CommitOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly ifGeneration?: number;
}

function addCommitCommand(sessions: Command): void {
  sessions
    .command('commit')
    .description('publish parts as one list; other parts of the session are left out. May be repeated')
    .argument('<session-id>')
    .argument('[parts...]', 'what put printed, as in 1:<digest>; - reads lines from standard input')
    .option('--all', 'all parts that the session has now; unsafe while tasks may still run twice')
    .option('--dry-run', 'check everything, publish nothing')
    .option('--force', "publish in spite of the domain's guard, and also what is unchanged")
    .option('--if-generation <n>', 'publish only if this is the live generation; 0: none', parseCount)
    .action(async (id: string, names: string[], options: CommitOptions, command: Command) => {
      if ((names.length === 0) === (options.all !== true)) throw badSetting('Give parts, - or --all.');
      const session = await openSession(command);
      const parts = options.all ? await partsOf(session, id) : await readNames(names);
      printUpload(session.out, await session.waypost.commit(id, parts, options));
    });
}

const partsOf = ({ waypost }: Session, id: string) => allOf(waypost.listParts(id));

type Named = Pick<SessionPart, 'part' | 'digest'>;

const nameOf = ({ part, digest }: Named) => `${part}:${digest}`;

/** Reads names of parts from the arguments and, for `-`, from standard input. Throws WaypostError. */
async function readNames(names: readonly string[]): Promise<Named[]> {
  const lines = names.includes('-') ? (await text(process.stdin)).split('\n') : [];
  return [...names, ...lines]
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '-')
    .map((name) => {
      const [, part, digest] = /^(\d+):(\S+)$/.exec(name) ?? [];
      if (part === undefined) throw badSetting(`${name} names no part: put prints names as in 1:<digest>.`);
      return { part: Number(part), digest: digest! };
    });
}

const STATUSES = ['open', 'committing', 'committed', 'held', 'aborted', 'expired'] as const;
const DEFAULT_LIMIT = 20;

interface ListOptions {
  readonly name?: string;
  readonly status?: (typeof STATUSES)[number];
  readonly limit: number;
}

function addListCommand(sessions: Command): void {
  sessions
    .command('list')
    .description('list the sessions of a domain, the newest first; those that ended, for 14 days')
    .argument('<domain>')
    .option('-n, --name <name>', 'only those of this sitemap; default: the unnamed one')
    .addOption(new Option('--status <status>', 'only those with this status').choices(STATUSES))
    .option('--limit <n>', 'the newest ones', parseCount, DEFAULT_LIMIT)
    .action(async (domain: string, { name, status, limit }: ListOptions, command: Command) => {
      const { waypost, out } = await openSession(command);
      const found = await allOf(waypost.listSessions(domain, { sitemapName: name, status }), limit);
      out.printList(found, ['SESSION', 'SITEMAP', 'STATUS', 'OPENED', 'PARTS', 'URLS', 'SIZE'], (one) => [
        one.id,
        one.sitemapName ?? 'default',
        one.status,
        one.createdAt,
        one.parts,
        one.urlCount,
        shownBytes(one.bytes),
      ]);
    });
}

function addShowCommand(sessions: Command): void {
  sessions
    .command('show')
    .description('show a session with its parts')
    .argument('<session-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const { waypost, out } = session;
      const shown = await waypost.getSession(id);
      // A session that has ended has no parts any more.
      const parts = shown.expiresAt === undefined ? [] : await partsOf(session, id);
      out.printJson({ ...shown, parts });
      const { status, domain, sitemapName = 'the unnamed sitemap', urlCount, expiresAt } = shown;
      out.print(`${id}: ${status}, ${counted(urlCount, 'URL')} for ${sitemapName} of ${domain}`);
      if (expiresAt !== undefined) out.print(`  ends at ${expiresAt} without another part or a commit`);
      if (parts.length === 0) return;
      out.printTable(
        ['PART', 'URLS', 'REJECTED', 'SIZE', 'NAME'],
        parts.map((part) => [part.part, part.urlCount, part.rejected, shownBytes(part.bytes), nameOf(part)]),
      );
    });
}
