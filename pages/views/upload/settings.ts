/** The settings of an upload beside its file, and the query parameters that they become. */
import type { UploadForm } from './file-form.ts';

export const SIZE_LIMITS = {
  standard: '50,000 URLs a file',
  balanced: '10,000 URLs a file',
  'gsc-optimized': '1,000 URLs a file',
} as const;

export interface ChosenDomain {
  readonly id: string;
  readonly hostname: string;
}

/** The settings. Numbers are texts, as they were typed. */
export interface Settings {
  /** Undefined: nothing is chosen yet, or the JSON document names it. */
  readonly domain: ChosenDomain | undefined;
  readonly isDomainInFile: boolean;
  /** Empty: the unnamed sitemap of the domain. */
  readonly sitemapName: string;
  readonly sizeLimit: keyof typeof SIZE_LIMITS;
  readonly isDryRun: boolean;
  readonly skipsInvalid: boolean;
  /** The most rows to leave out, in place of `maxRejectedPercent`. Empty: `maxRejectedPercent` counts. */
  readonly maxRejected: string;
  readonly maxRejectedPercent: string;
  readonly expectedUrlCount: string;
  readonly force: boolean;
}

export const FIRST_SETTINGS: Settings = {
  domain: undefined,
  isDomainInFile: false,
  sitemapName: '',
  sizeLimit: 'standard',
  isDryRun: false,
  skipsInvalid: false,
  maxRejected: '',
  maxRejectedPercent: '1',
  expectedUrlCount: '',
  force: false,
};

/** Returns the settings for another file. The options that belong to one file are as at first. */
export function forAnotherFile(settings: Settings): Settings {
  const { expectedUrlCount, force } = FIRST_SETTINGS;
  return { ...settings, expectedUrlCount, force };
}

/** The facts about the file that settings depend on. */
export interface SettingsFile {
  readonly file: unknown;
  readonly form: UploadForm | undefined;
  /** The members of a JSON document other than its entries. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** A sentence for each wrong setting. */
export type SettingFaults = Partial<Record<keyof Settings | 'file' | 'form', string>>;

const SITEMAP_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const WHOLE_NUMBER = /^\d{1,15}$/;
const PERCENT = /^\d{1,3}(\.\d{1,15})?$/;

export function faultsOf(settings: Settings, { file, form, members }: SettingsFile): SettingFaults {
  const { domain, isDomainInFile, sitemapName, skipsInvalid } = settings;
  const faults: SettingFaults = {};
  if (file === undefined) faults.file = 'Choose a file.';
  else if (form === undefined) faults.form = 'Choose the file type.';
  if (domain === undefined && !(isDomainInFile && form === 'json')) faults.domain = 'Choose a domain.';
  for (const name of queryOf(settings).keys()) {
    // The service takes each parameter from the query or from the document, but not from both.
    if (name in members) faults[FIELDS[name]!] = `The file itself says “${name}”. Leave it to the file.`;
  }
  if (sitemapName !== '' && !isSitemapName(sitemapName)) {
    faults.sitemapName = 'Up to 64 letters, digits, _ and -. The words index and default are taken.';
  }
  if (!isBlankOr(WHOLE_NUMBER, settings.expectedUrlCount) || Number(settings.expectedUrlCount || 1) < 1) {
    faults.expectedUrlCount = 'A whole number, at least 1.';
  }
  const percent = settings.maxRejectedPercent;
  if (skipsInvalid && (!PERCENT.test(percent) || Number(percent) > 100)) {
    faults.maxRejectedPercent = 'A number from 0 to 100.';
  }
  return faults;
}

/** The setting for each parameter. */
const FIELDS: Readonly<Record<string, keyof Settings>> = {
  domain: 'domain',
  sitemapName: 'sitemapName',
  sizeLimit: 'sizeLimit',
  expectedUrlCount: 'expectedUrlCount',
  dryRun: 'isDryRun',
  force: 'force',
  onInvalid: 'skipsInvalid',
  maxRejected: 'maxRejected',
  maxRejectedPercent: 'maxRejectedPercent',
};

/**
 * Returns the query of the request. The service accepts it only if `settings` have no faults. Defaults are left out, because a JSON
 * document may have the member.
 */
export function queryOf(settings: Settings): URLSearchParams {
  const { domain, isDomainInFile, sitemapName, sizeLimit, expectedUrlCount } = settings;
  const query = new URLSearchParams();
  if (domain !== undefined && !isDomainInFile) query.set('domain', domain.hostname);
  if (sitemapName !== '') query.set('sitemapName', sitemapName);
  if (sizeLimit !== 'standard') query.set('sizeLimit', sizeLimit);
  if (expectedUrlCount !== '') query.set('expectedUrlCount', expectedUrlCount);
  if (settings.isDryRun) query.set('dryRun', 'true');
  if (settings.force) query.set('force', 'true');
  if (settings.skipsInvalid) setRejection(query, settings);
  return query;
}

/** A number that was counted before is more exact than a percent. */
function setRejection(query: URLSearchParams, { maxRejected, maxRejectedPercent }: Settings): void {
  query.set('onInvalid', 'skip');
  if (maxRejected === '') query.set('maxRejectedPercent', maxRejectedPercent);
  else query.set('maxRejected', maxRejected);
}

export function sitemapPath(sitemapName: string): string {
  return sitemapName === '' ? '/sitemap.xml' : `/sitemap-${sitemapName}.xml`;
}

const isSitemapName = (name: string) => SITEMAP_NAME.test(name) && name !== 'index' && name !== 'default';
const isBlankOr = (pattern: RegExp, text: string) => text === '' || pattern.test(text);
