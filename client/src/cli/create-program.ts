/** Creates the program `waypost` with all its commands. */
import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { addCompletionsCommand } from './completions-command.ts';
import { addConnectionCommands } from './connection-commands.ts';
import { addDeltaCommand } from './delta-command.ts';
import { addDoctorDnsCommand } from './doctor-dns-command.ts';
import { addDomainCommands } from './domain-commands.ts';
import { addFindCommand } from './find-command.ts';
import { addGenerationCommands } from './generation-commands.ts';
import { addLoadCommand } from './load-command.ts';
import { addLoginCommand } from './login-command.ts';
import { addNeedsCommand } from './needs-command.ts';
import { addPreviewCommand } from './preview-command.ts';
import { addScheduleCommands } from './schedule-commands.ts';
import { addGlobalOptions } from './session.ts';
import { addSessionsCommands } from './sessions-commands.ts';
import { addSitemapCommands } from './sitemap-commands.ts';
import { addUploadCommand } from './upload-command.ts';
import { addUploadsCommands } from './uploads-commands.ts';
import { addUsageCommand } from './usage-command.ts';

const EXAMPLES = `
First steps:
  $ waypost login                                      save the server and your key
  $ waypost domains add sitemaps.example.com           then make the DNS record that it names
  $ waypost domains verify sitemaps.example.com
  $ waypost upload urls.csv --domain sitemaps.example.com

Exit codes: 0 done · 1 refused by the server, or a check failed · 2 wrong use · 3 server not reached
            4 held by the guard · 5 the input is cut or its producer failed · 130 stopped by Ctrl+C`;

export function createProgram(): Command {
  const program = new Command('waypost')
    .description('Uploads lists of URLs to Waypost, which hosts them as XML sitemaps, and manages them.')
    .version(VERSION, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(add --help for examples)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES);
  addGlobalOptions(program);
  addUploadCommand(program);
  addLoadCommand(program);
  addScheduleCommands(program);
  addSessionsCommands(program);
  addConnectionCommands(program);
  addDeltaCommand(program);
  addPreviewCommand(program);
  addUploadsCommands(program);
  addSitemapCommands(program);
  addFindCommand(program);
  addNeedsCommand(program);
  addUsageCommand(program);
  addGenerationCommands(program);
  addDomainCommands(program);
  addDoctorDnsCommand(program);
  addLoginCommand(program);
  addCompletionsCommand(program);
  return program;
}
