/** Judges the changes of a delta, before anything is written. */
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { counted } from '../../../platform/words.ts';
import type { Delta } from './delta.ts';
import type { Found } from './messages.ts';
import { joinOperations, locOf } from './operations.ts';

/** Throws Refusal. Several deltas are judged together. If they are refused, the caller tries each alone. */
export function judgeDelta(deltas: readonly Delta[], { counts, missing, urlCount }: Found): void {
  const { sitemapName, uploader, onMissing } = deltas[0]!;
  const missed = counts.reduce((sum, count) => sum + count.missing, 0);
  if (onMissing === 'fail' && missed > 0) {
    const operations = joinOperations(deltas.map((delta) => delta.operations));
    const samples = missing.map((i) => locOf(operations, i));
    throw missingUrls(missed, samples);
  }
  if (urlCount === 0) throw noUrlLeft(sitemapName);
  const { urlsPerUpload } = uploader.allowance;
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  if (added > 0 && urlCount > urlsPerUpload) throw overPlan(urlsPerUpload, urlCount);
}

function missingUrls(missing: number, samples: readonly string[]): Refusal {
  const count = missing === 1 ? 'one of the URLs' : `${counted(missing)} of the URLs`;
  return new Refusal('CONFLICT', `remove: the sitemap does not have ${count}.`, {
    details: { field: 'remove', missing, samples },
  });
}

function noUrlLeft(sitemapName: string): Refusal {
  const name = shownSitemapName(sitemapName);
  return invalidField('remove', null, `no URL of the sitemap ${name} is left. Delete the sitemap instead.`);
}

function overPlan(limit: number, urlCount: number): Refusal {
  const message = `the sitemap would have ${counted(urlCount)} URLs, and the plan allows ${counted(limit)}.`;
  return invalidField('upsert', null, message, { limit, urlCount });
}
