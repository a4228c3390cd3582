/**
 * Publishes small uploads: those that come while a group is being published are the next group. Whoever meets a lock waits for
 * it in groups of its own, a moment, and is then published alone. So it does not hold up the others.
 */
import { GroupedCalls } from '../platform/concurrency/grouped-calls.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { type Database, isFaultOfMember, isLockTimeout } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PublishedUpload, PublishOptions } from './publish-generation.ts';
import { type GroupMember, type GroupOutcome, LEFT_OUT, publishGroup } from './publish-group.ts';
import { publishUpload } from './publish-upload.ts';

/** Fewer than `keepReplaced` bears. More would make the first wait for the last. */
const MOST_MEMBERS = 64;

export interface PublishInGroupsOptions extends PublishOptions {
  readonly database: Database;
  readonly writeSite: (hostname: string) => Promise<unknown>;
  /** Uploads that are published alone at once, because others hold their locks. Each has a connection to Postgres. */
  readonly alone: number;
}

/** Errors are as of `publishUpload`. */
export type PublishSmall = (member: GroupMember) => Promise<PublishedUpload>;

export function createPublishInGroups(options: PublishInGroupsOptions): PublishSmall {
  const inGroups = (waits: boolean) =>
    new GroupedCalls((members: readonly GroupMember[]) => publishUnlessLocked(options, members, waits), {
      most: MOST_MEMBERS,
      ownerOf: ({ uploader }) => uploader.accountId,
      // A refusal: the record of a member's answer found that another request has taken over.
      isOfMember: (error) => error instanceof Refusal || isFaultOfMember(error),
    });
  // Whoever has to wait, for another process or a large publication, waits in a group with others who do.
  const groups = [inGroups(false), inGroups(true)];
  // Those of one account would only wait for each other.
  const alone = new Turns(options.alone, 1);
  return async (member) => {
    for (const group of groups) {
      const published = await group.run(member);
      if (published === LEFT_OUT) continue;
      await options.writeSite(member.domain.hostname);
      return published;
    }
    return alone.run(member.uploader.accountId, () => publishAlone(options, member));
  };
}

async function publishUnlessLocked(
  options: PublishInGroupsOptions,
  members: readonly GroupMember[],
  waits: boolean,
): Promise<readonly GroupOutcome[]> {
  try {
    return await publishGroup(options, members, waits);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    // With `waits`, for one of them. Without, something else than a key or a domain is locked, and nobody says whose it is.
    return members.map(() => ({ value: LEFT_OUT }));
  }
}

function publishAlone(
  options: PublishOptions,
  { uploader, domain, sitemapName, uploadId, files, terms, attempt, onPublished }: GroupMember,
): Promise<PublishedUpload> {
  const staged = { uploadId, files, hasObjects: false, keep: () => {} };
  return publishUpload(options, uploader, domain, sitemapName, staged, terms, { attempt, onPublished });
}
