/** The objects of an entry, as docs/FORMAT.md lists them: their members, and the kind of value of each. */
import {
  MAX_ALTERNATES,
  MAX_IMAGES,
  MAX_TEXT_LENGTH,
  MAX_UPLOADER_NAME_LENGTH,
  MAX_VIDEO_CATEGORY_LENGTH,
  MAX_VIDEO_DESCRIPTION_LENGTH,
  MAX_VIDEO_RATING,
  MAX_VIDEO_TAGS,
  MAX_VIDEO_TITLE_LENGTH,
} from '../../../src/core/sitemap/limits.ts';

export type Kind =
  | { readonly is: 'url' | 'date' | 'changefreq' | 'language' | 'newsLanguage' | 'stockTickers' }
  /** Lengths in code points. */
  | { readonly is: 'text'; readonly min: number; readonly max: number }
  | { readonly is: 'number'; readonly max: number }
  | { readonly is: 'integer' | 'boolean' }
  | { readonly is: 'object'; readonly shape: Shape }
  | { readonly is: 'list'; readonly of: Kind; readonly max: number };

export interface Member {
  readonly name: string;
  readonly kind: Kind;
  readonly isRequired: boolean;
}

export interface Shape {
  readonly members: readonly Member[];
  /** Names of optional members. At least one of them must be there. */
  readonly needsOneOf?: readonly string[];
}

const url: Kind = { is: 'url' };
const date: Kind = { is: 'date' };
const boolean: Kind = { is: 'boolean' };
const integer: Kind = { is: 'integer' };
const numberUpTo = (max: number): Kind => ({ is: 'number', max });
const text = (max = MAX_TEXT_LENGTH): Kind => ({ is: 'text', min: 0, max });
const requiredText = (max = MAX_TEXT_LENGTH): Kind => ({ is: 'text', min: 1, max });
const object = (shape: Shape): Kind => ({ is: 'object', shape });
const list = (of: Kind, max: number): Kind => ({ is: 'list', of, max });

const required = (name: string, kind: Kind): Member => ({ name, kind, isRequired: true });
const optional = (name: string, kind: Kind): Member => ({ name, kind, isRequired: false });

const IMAGE: Shape = {
  members: [
    required('loc', url),
    optional('title', text()),
    optional('caption', text()),
    optional('geo_location', text()),
    optional('license', url),
  ],
};
const ALTERNATE: Shape = {
  members: [required('href', url), required('hreflang', { is: 'language' })],
};
const PUBLICATION: Shape = {
  members: [required('name', requiredText()), required('language', { is: 'newsLanguage' })],
};
const NEWS: Shape = {
  members: [
    required('publication', object(PUBLICATION)),
    required('publication_date', date),
    required('title', requiredText()),
    optional('keywords', text()),
    optional('stock_tickers', { is: 'stockTickers' }),
  ],
};
const UPLOADER: Shape = {
  members: [required('name', requiredText(MAX_UPLOADER_NAME_LENGTH)), optional('info', url)],
};
const VIDEO: Shape = {
  members: [
    required('thumbnail_loc', url),
    required('title', requiredText(MAX_VIDEO_TITLE_LENGTH)),
    required('description', requiredText(MAX_VIDEO_DESCRIPTION_LENGTH)),
    optional('content_loc', url),
    optional('player_loc', url),
    optional('duration', integer),
    optional('view_count', integer),
    optional('rating', numberUpTo(MAX_VIDEO_RATING)),
    optional('publication_date', date),
    optional('expiration_date', date),
    optional('family_friendly', boolean),
    optional('live', boolean),
    optional('tag', list(requiredText(), MAX_VIDEO_TAGS)),
    optional('category', text(MAX_VIDEO_CATEGORY_LENGTH)),
    optional('uploader', object(UPLOADER)),
  ],
  needsOneOf: ['content_loc', 'player_loc'],
};

export const ENTRY: Shape = {
  members: [
    required('loc', url),
    optional('lastmod', date),
    optional('changefreq', { is: 'changefreq' }),
    optional('priority', numberUpTo(1)),
    optional('images', list(object(IMAGE), MAX_IMAGES)),
    optional('hreflang', list(object(ALTERNATE), MAX_ALTERNATES)),
    optional('news', object(NEWS)),
    optional('video', object(VIDEO)),
  ],
};
