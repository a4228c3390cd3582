/** Takes a delta from the first byte of its body to a published generation. */
import type { Transaction } from '../../../platform/postgres/database.ts';
import { requireTarget } from '../../accounts/key-scope.ts';
import type { Attempt } from '../attempt.ts';
import type { HoldBudget } from '../hold-budget.ts';
import type { Uploader } from '../publishing/publication.ts';
import type { UploadDomain } from '../upload-members.ts';
import type { PublishedDelta } from './delta.ts';
import type { PublishDelta } from './delta-groups.ts';
import { DeltaMembers } from './delta-members.ts';
import type { DeltaForm } from './operation-batches.ts';
import { type ReadDeltaOptions, readDelta } from './read-delta.ts';

interface AcceptDeltaOptions extends Omit<ReadDeltaOptions, 'held'> {
  /** The memory of the operations of all deltas. */
  readonly deltaBudget: HoldBudget;
  readonly publishDelta: PublishDelta;
  /** Finds a domain of the account. Throws NOT_FOUND for any other hostname. */
  readonly getDomain: (accountId: string, hostname: string) => Promise<UploadDomain>;
}

export interface AcceptedDelta extends PublishedDelta {
  readonly deltaId: string;
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly dryRun: boolean;
}

/** The form and the query parameters in the head of the request. */
interface DeltaHead {
  readonly form: DeltaForm;
  /** The query parameters. The caller has refused unknown names. */
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * `body` is in UTF-8 and not compressed. `attempt` has the id of the delta. The function fills in the domain, the name and the counts of
 * the attempt, and records it when the delta is published. A Refusal means that nothing changed. `onPublished` runs in the transaction
 * that publishes the delta, and not for a dry run. If `onPublished` throws, the delta is not published.
 */
export async function acceptDelta(
  options: AcceptDeltaOptions,
  uploader: Uploader,
  attempt: Attempt,
  { form, query }: DeltaHead,
  body: AsyncIterable<Uint8Array>,
  onPublished: (transaction: Transaction, delta: AcceptedDelta) => Promise<void> = async () => {},
): Promise<AcceptedDelta> {
  const { accountId } = uploader;
  using scope = new DisposableStack();
  const held = scope.adopt(options.deltaBudget.open(accountId), ({ release }) => release());
  attempt.form = form;
  const members = new DeltaMembers(async (hostname) => {
    const domain = await options.getDomain(accountId, hostname);
    requireTarget(uploader.scope, { domainId: domain.id });
    attempt.domain = domain;
    return domain;
  });
  await members.takeQuery(form, query);
  const operations = await readDelta({ ...options, held }, accountId, form, body, members);
  const { domain, sitemapName, dryRun, onMissing, ...terms } = members.complete();
  requireTarget(uploader.scope, { sitemapName });
  attempt.sitemapName = sitemapName;
  attempt.counts.urlCount = operations.count;
  attempt.isDryRun = dryRun;
  const asked = { domain, sitemapName, dryRun };
  const accepted = (published: PublishedDelta) => ({ ...published, ...asked, deltaId: attempt.id });
  const published = await options.publishDelta({
    ...asked,
    ...{ uploader, terms, onMissing, operations, attempt },
    // The transaction of a dry run is rolled back, and all that `onPublished` writes with it.
    onPublished: async (transaction, state) => {
      if (!dryRun) await onPublished(transaction, accepted(state));
    },
  });
  return accepted(published);
}
