/** The part of the form for a new key that says what the key may do. */
import { Field } from '../../../parts/field.tsx';

/** As the form has them. Empty: not limited by it. */
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

export function limitsOf(uploadTo?: { readonly hostname: string; readonly sitemapName: string }): Limits {
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

const listed = (text: string) => text.split(/[\s,]+/).filter((one) => one !== '');

interface LimitFieldsProps {
  readonly limits: Limits;
  readonly onChange: (limits: Limits) => void;
}

export function LimitFields({ limits, onChange }: LimitFieldsProps) {
  const text = (name: 'domain' | 'sitemap' | 'ranges', label: string, hint: string) => (
    <Field label={label} hint={hint}>
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
