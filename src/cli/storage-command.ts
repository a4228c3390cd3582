/** The command that makes an object storage that of the database. */
import type { Command } from 'commander';
import { adoptStorage } from '../core/schema/storage-mark.ts';
import { print } from '../platform/process/print.ts';
import { withAnyStorage } from './connect.ts';
import { WHERE } from './site-commands.ts';

export function addStorageCommand(program: Command): void {
  program
    .command('storage')
    .description('the object storage as a whole')
    .command('adopt')
    .description('make this object storage that of the database, in place of the one before')
    .addHelpText(
      'after',
      `
Each process with a database refuses an object storage that has not the mark of the database: its disk may not be
mounted, or it may be that of another Waypost. Run this after you have replaced the store by one that is not a copy,
and then site rebuild --all and doctor.
${WHERE}`,
    )
    .action(async () => {
      await withAnyStorage(adoptStorage);
      print('The object storage is that of this database now. Run site rebuild --all and doctor next.');
    });
}
