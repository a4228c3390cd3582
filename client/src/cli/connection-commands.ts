/**
 * `waypost connections`: lists, sets, tests and deletes the connections by which loads read buckets. Keys are never arguments, because
 * other users of a machine see the arguments of programs.
 */
import type { Command } from 'commander';
import { allOf } from './all-of.ts';
import { collect } from './dialect-command-options.ts';
import { environment } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { readSecret } from './read-secret.ts';
import { openSession } from './session.ts';

const SET_EXAMPLES = `
The keys come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or are asked for. Nobody sees them again.

Examples:
  $ waypost connections set warehouse --region eu-central-1 --bucket acme-exports
  $ waypost connections set lake --endpoint https://s3.example.net --region us-east-1 --bucket exports
  $ waypost load 's3://acme-exports/urls/*.csv.gz' --connection warehouse --domain sitemaps.example.com --form csv`;

interface SetOptions {
  readonly region: string;
  readonly endpoint?: string;
  readonly bucket: readonly string[];
}

export function addConnectionCommands(program: Command): void {
  const connections = program
    .command('connections')
    .description('list, set and delete connections to buckets, for loads');
  connections
    .command('list', { isDefault: true })
    .description('list your connections, without their keys (the default)')
    .action(async (_options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      out.printList(
        await allOf(waypost.listConnections()),
        ['NAME', 'ENDPOINT', 'REGION', 'BUCKETS', 'CHANGED'],
        (one) => [
          one.name,
          one.endpoint,
          one.region,
          one.buckets.join(', '),
          one.usable ? one.changedAt : 'its keys are lost: set it again',
        ],
      );
    });
  connections
    .command('set')
    .description('set a connection, or replace it')
    .argument('<name>', 'lower-case letters, digits and hyphens')
    .requiredOption('--region <region>', 'as in eu-central-1; stores without regions take us-east-1')
    .requiredOption('--bucket <bucket>', 'a bucket that it may read; may be repeated', collect)
    .option('--endpoint <address>', 'of a store that is not AWS')
    .addHelpText('after', SET_EXAMPLES)
    .action(async (name: string, { region, endpoint, bucket: buckets }: SetOptions, command: Command) => {
      const { waypost, out } = await openSession(command);
      const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment();
      const set = await waypost.setConnection(name, {
        ...{ kind: 's3', region, endpoint, buckets },
        accessKeyId: AWS_ACCESS_KEY_ID || (await readSecret('Access key: ', FROM_ENVIRONMENT)),
        secretAccessKey: AWS_SECRET_ACCESS_KEY || (await readSecret('Secret key: ', FROM_ENVIRONMENT)),
        sessionToken: AWS_SESSION_TOKEN || undefined,
      });
      out.printJson(set);
      out.print(`The connection ${name} may read ${set.buckets.join(', ')} at ${set.endpoint}.`);
    });
  connections
    .command('test')
    .description('ask for the first key of each bucket; exit code 1 if one cannot be listed')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const { buckets } = await waypost.tryConnection(name);
      out.printList(buckets, ['BUCKET', 'ANSWER'], ({ bucket, problem }) => [bucket, problem ?? 'fine']);
      if (buckets.some(({ problem }) => problem !== null)) process.exitCode = EXIT.refused;
    });
  connections
    .command('delete')
    .description('delete a connection')
    .argument('<name>')
    .requiredOption('--yes', 'confirm it')
    .action(async (name: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      await waypost.deleteConnection(name);
      out.printJson({ name, deleted: true });
      out.print(`The connection ${name} is deleted.`);
    });
}

const FROM_ENVIRONMENT = 'Give it by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
