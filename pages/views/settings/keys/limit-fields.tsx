/** The part of the form for a new key that says what the key may do. */
import { ApiError } from '../../../api/request.ts';
import { Field, fieldError } from '../../../parts/field.tsx';
import { faultyField } from '../faulty-field.ts';

/** The limits of a key, as in the fields of the form. An empty text is no limit. */
export interface Limits {
  readonly preset: keyof typeof PRESETS;
  readonly domain: string;
  readonly sitemap: string;
  readonly ranges: string;
  readonly endsWithCreator: boolean;
}

const PRESETS = {
  everything: { name: 'Everything', actions: undefined },
  upload: { name: 'Only upload', actions: ['upload'] },
  read: { name: 'Only read', actions: ['read'] },
} as const;

/** A sitemap to upload to. Without a hostname: of any domain. */
export interface UploadTo {
  readonly hostname?: string | undefined;
  readonly sitemapName: string;
}

export function limitsOf(uploadTo?: UploadTo): Limits {
  return {
    preset: uploadTo === undefined ? 'everything' : 'upload',
    ...{ domain: uploadTo?.hostname ?? '', sitemap: uploadTo?.sitemapName ?? '' },
    ...{ ranges: '', endsWithCreator: false },
  };
}

/** The members of the request. */
export function wantedLimits({ preset, domain, sitemap, ranges, endsWithCreator }: Limits): object {
  const { actions } = PRESETS[preset];
  const isLimited = actions !== undefined;
  return {
    ...(isLimited && { actions }),
    ...(isLimited && domain.trim() !== '' && { domain: domain.trim() }),
    ...(isLimited && sitemap.trim() !== '' && { sitemaps: listed(sitemap) }),
    ...(ranges.trim() !== '' && { fromRanges: listed(ranges) }),
    ...(endsWithCreator && { endsWithCreator }),
  };
}

type LimitField = 'domain' | 'sitemap' | 'ranges';

/** The field for each member of the request. */
const FIELDS: Readonly<Record<string, LimitField>> = {
  domain: 'domain',
  sitemaps: 'sitemap',
  fromRanges: 'ranges',
};

/** Returns the field that a refusal is about; undefined if it is about none of these. */
export function limitOf(failure: unknown): LimitField | undefined {
  // The account does not have the domain.
  if (failure instanceof ApiError && failure.status === 404) return 'domain';
  return FIELDS[faultyField(failure)?.replace(/\[.*/, '') ?? ''];
}

const listed = (text: string) => text.split(/[\s,]+/).filter((one) => one !== '');

interface LimitFieldsProps {
  readonly limits: Limits;
  /** The failure of the last try. */
  readonly failure: unknown;
  readonly onChange: (limits: Limits) => void;
}

export function LimitFields({ limits, failure, onChange }: LimitFieldsProps) {
  const faulty = limitOf(failure);
  const text = (name: LimitField, label: string, hint: string) => (
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
      <Field label="It may">
        {(tied) => (
          <select
            {...tied}
            value={limits.preset}
            onChange={(event) =>
              onChange({ ...limits, preset: event.currentTarget.value as Limits['preset'] })
            }
          >
            {Object.entries(PRESETS).map(([id, { name }]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {limits.preset !== 'everything' && (
        <>
          {text('domain', 'Domain', 'Only this one, as in sitemaps.example.com. Empty: all.')}
          {text(
            'sitemap',
            'Sitemap',
            'Only sitemaps of this name; “default” is the unnamed one. Empty: all.',
          )}
        </>
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
