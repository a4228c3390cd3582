/** The part of the form for a new key that says what the key may do. */
import type { KeyAction } from '../../../../src/features/accounts/key-actions.ts';
import { ApiError } from '../../../api/request.ts';
import { Fault } from '../../../parts/fault.tsx';
import { Field, fieldError } from '../../../parts/field.tsx';
import { faultyField } from '../faulty-field.ts';

/** The limits of a key, as in the fields of the form. An empty text is no limit. */
export interface Limits {
  readonly actions: readonly KeyAction[];
  readonly domain: string;
  readonly sitemap: string;
  readonly ranges: string;
  readonly endsWithCreator: boolean;
}

/** The actions, in the order of the form. */
const ACTIONS = {
  read: { name: 'Read', means: 'See domains, sitemaps, uploads, visits of crawlers and usage.' },
  upload: { name: 'Upload', means: 'Publish lists and changes of single URLs, and run loads.' },
  rollback: { name: 'Roll back', means: 'Publish an earlier version of a sitemap again.' },
  delete: { name: 'Delete sitemaps', means: 'Crawlers get nothing there any more.' },
  domains: { name: 'Manage domains', means: 'Add, change, check and delete domains, and set schedules.' },
  webhooks: { name: 'Manage webhooks', means: 'See, add, change and delete webhooks.' },
  connections: { name: 'Manage connections', means: 'See, add, change and delete connections to buckets.' },
} as const satisfies Readonly<Record<KeyAction, { readonly name: string; readonly means: string }>>;

const ALL = Object.keys(ACTIONS) as KeyAction[];
/** Actions that are about the whole account. A key that is limited to a domain or to sitemaps cannot have them. */
const OF_ALL: ReadonlySet<KeyAction> = new Set(['domains', 'webhooks', 'connections']);

/** The sitemap to upload to. Without a hostname: the sitemap of this name in any domain. */
export interface UploadTo {
  readonly hostname?: string | undefined;
  readonly sitemapName: string;
}

export function limitsOf(uploadTo?: UploadTo): Limits {
  return {
    actions: uploadTo === undefined ? ['read', 'upload'] : ['upload'],
    ...{ domain: uploadTo?.hostname ?? '', sitemap: uploadTo?.sitemapName ?? '' },
    ...{ ranges: '', endsWithCreator: false },
  };
}

/** Returns the members of the request. A key with all actions also gets those of later versions. */
export function wantedLimits({ actions, domain, sitemap, ranges, endsWithCreator }: Limits): object {
  return {
    ...(actions.length < ALL.length && { actions }),
    ...(domain.trim() !== '' && { domain: domain.trim() }),
    ...(sitemap.trim() !== '' && { sitemaps: listed(sitemap) }),
    ...(ranges.trim() !== '' && { fromRanges: listed(ranges) }),
    ...(endsWithCreator && { endsWithCreator }),
  };
}

type LimitField = 'actions' | 'domain' | 'sitemap' | 'ranges';

/** The field for each member of the request. */
const FIELDS: Readonly<Record<string, LimitField>> = {
  actions: 'actions',
  domain: 'domain',
  sitemaps: 'sitemap',
  fromRanges: 'ranges',
};

/** Returns the field that a refusal is about; undefined if the refusal is about none of these fields. */
export function limitOf(failure: unknown): LimitField | undefined {
  // Here, 404 means that the account does not have the domain.
  if (failure instanceof ApiError && failure.status === 404) return 'domain';
  return FIELDS[faultyField(failure)?.replace(/\[.*/, '') ?? ''];
}

const toggled = (actions: readonly KeyAction[], action: KeyAction) =>
  ALL.filter((known) => (known === action) !== actions.includes(known));

const listed = (text: string) => text.split(/[\s,]+/).filter((one) => one !== '');

interface LimitFieldsProps {
  readonly limits: Limits;
  /** The failure of the last try. */
  readonly failure: unknown;
  readonly onChange: (limits: Limits) => void;
}

export function LimitFields({ limits, failure, onChange }: LimitFieldsProps) {
  const faulty = limitOf(failure);
  const isOfAll = limits.actions.some((action) => OF_ALL.has(action));
  const text = (name: Exclude<LimitField, 'actions'>, label: string, hint: string) => (
    <Field label={label} hint={hint} error={faulty === name ? fieldError(failure) : undefined}>
      {(tied) => (
        <input
          {...tied}
          autocomplete="off"
          value={limits[name]}
          onInput={(event) => onChange({ ...limits, [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      <fieldset class="choices">
        <legend>It may</legend>
        {ALL.map((action) => (
          <label key={action}>
            <input
              type="checkbox"
              checked={limits.actions.includes(action)}
              onChange={() => onChange({ ...limits, actions: toggled(limits.actions, action) })}
            />
            <span>
              {ACTIONS[action].name}
              <span class="below">{ACTIONS[action].means}</span>
            </span>
          </label>
        ))}
        <Fault>{faulty === 'actions' ? 'Choose at least one.' : undefined}</Fault>
      </fieldset>
      {text('domain', 'Domain', 'Only this one, as in sitemaps.example.com. Empty: all.')}
      {text('sitemap', 'Sitemap', 'Only sitemaps of this name; “default” is the unnamed one. Empty: all.')}
      {isOfAll && (limits.domain.trim() !== '' || limits.sitemap.trim() !== '') && (
        <p class="hint">Webhooks, connections and new domains are for keys without these two limits.</p>
      )}
      {text('ranges', 'Only from', 'Addresses of your servers, as in 192.0.2.0/24. Empty: from anywhere.')}
      <label>
        <input
          type="checkbox"
          checked={limits.endsWithCreator}
          onChange={(event) => onChange({ ...limits, endsWithCreator: event.currentTarget.checked })}
        />{' '}
        Revoke it when I leave the account
      </label>
    </>
  );
}
