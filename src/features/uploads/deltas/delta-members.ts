/** Reads the members of a delta other than its operations. These members may also be query parameters. */
import { z } from 'zod';
import { DEFAULT_SITEMAP } from '../../../core/sitemap/file-names.ts';
import type { DocumentShape } from '../../../platform/json/json-document.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { BATCH_LIMITS } from '../forms/batch-limits.ts';
import { type Dialect, isDialectName, parseDialect } from '../forms/dialect.ts';
import type { UploadForm } from '../forms/form.ts';
import { memberSchemas, type UploadDomain, valueInQuery } from '../upload-members.ts';
import { ON_MISSING, type OnMissing } from './delta.ts';

const { domain, sitemapName, ifGeneration, force, dryRun } = memberSchemas;
export const deltaMemberSchemas = {
  ...{ domain, sitemapName, ifGeneration, force, dryRun },
  onMissing: z.enum(ON_MISSING, `must be one of ${ON_MISSING.join(', ')}`).nullable(),
};
type MemberName = keyof typeof deltaMemberSchemas;

export const DELTA_SHAPE: DocumentShape = {
  members: Object.keys(deltaMemberSchemas),
  arrays: ['upsert', 'remove'],
  limits: BATCH_LIMITS,
  refusesUnknown: true,
};

export class DeltaMembers {
  readonly #getDomain: (hostname: string) => Promise<UploadDomain>;
  readonly #inQuery = new Set<string>();
  readonly #values: { -readonly [Name in MemberName]?: z.output<(typeof deltaMemberSchemas)[Name]> } = {};
  #dialect: Dialect = {};
  #domain: UploadDomain | undefined;

  /** `getDomain` refuses a hostname that the account does not own. */
  constructor(getDomain: (hostname: string) => Promise<UploadDomain>) {
    this.#getDomain = getDomain;
  }

  /** The dialect of the values in the body. */
  get dialect(): Dialect {
    return this.#dialect;
  }

  /** Takes the members in the query. `query` must have only known names. Throws Refusal. */
  async takeQuery(form: UploadForm, query: Readonly<Record<string, unknown>>): Promise<void> {
    this.#dialect = parseDialect(form, query);
    for (const [name, text] of Object.entries(query)) {
      if (isDialectName(name)) continue;
      if (Array.isArray(text)) throw invalidField(name, text, 'is given more than once');
      await this.take(name, valueInQuery(name, text));
      this.#inQuery.add(name);
    }
  }

  /** Takes a member of the document. Throws Refusal. */
  async take(name: string, value: unknown): Promise<void> {
    if (!(name in deltaMemberSchemas)) throw invalidField(name, value, 'must be an array');
    if (this.#inQuery.has(name)) throw invalidField(name, value, 'stands in the query already');
    const parsed = deltaMemberSchemas[name as MemberName].safeParse(value);
    if (!parsed.success) throw invalidField(name, value, parsed.error.issues[0]!.message);
    if (name === 'domain') this.#domain = await this.#getDomain(parsed.data as string);
    else Object.assign(this.#values, { [name]: parsed.data });
  }

  /** Call this at the end of the body. Throws Refusal if there is no domain. */
  complete() {
    if (this.#domain === undefined) throw invalidField('domain', undefined, 'is required');
    const { sitemapName, ifGeneration, force, dryRun, onMissing } = this.#values;
    return {
      domain: this.#domain,
      sitemapName: sitemapName ?? DEFAULT_SITEMAP,
      ifGeneration: ifGeneration ?? undefined,
      force: force ?? false,
      dryRun: dryRun ?? false,
      onMissing: onMissing ?? ('ignore' satisfies OnMissing),
    };
  }
}
