/** The members of an entry and of its objects, as docs/FORMAT.md lists them. The limits are the current ones. */
import {
  MAX_ALTERNATES,
  MAX_DECIMAL_PLACES,
  MAX_IMAGES,
  MAX_STOCK_TICKERS,
  MAX_TEXT_LENGTH,
  MAX_UPLOADER_NAME_LENGTH,
  MAX_VIDEO_CATEGORY_LENGTH,
  MAX_VIDEO_DESCRIPTION_LENGTH,
  MAX_VIDEO_DURATION_S,
  MAX_VIDEO_RATING,
  MAX_VIDEO_TAGS,
  MAX_VIDEO_TITLE_LENGTH,
  MIN_LOC_LENGTH,
} from '../../src/core/sitemap/limits.ts';

/** For each member, whether it is required and its meaning. */
type Members = Readonly<Record<string, readonly [presence: 'required' | 'optional', what: string]>>;

const number = (value: number) => value.toLocaleString('en');
const requiredText = (max = MAX_TEXT_LENGTH) => `text, 1 to ${number(max)} characters`;
const text = (max = MAX_TEXT_LENGTH) => `text, up to ${number(max)} characters; may be empty`;

/** By the path of their object, as in field names, without `urls[i]`. */
export const FORMAT_MEMBERS: Readonly<Record<string, Members>> = {
  '': {
    loc: ['required', `URL of the page, at least ${MIN_LOC_LENGTH} characters as written`],
    lastmod: ['optional', 'date'],
    changefreq: ['optional', '`always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`'],
    priority: ['optional', `number, 0 to 1, at most ${MAX_DECIMAL_PLACES} decimal places`],
    images: ['optional', `list of up to ${number(MAX_IMAGES)} images`],
    hreflang: ['optional', `list of up to ${number(MAX_ALTERNATES)} alternates in other languages`],
    news: ['optional', 'news article'],
    video: ['optional', 'video'],
  },
  'images[0]': {
    loc: ['required', 'URL of the image'],
    title: ['optional', text()],
    caption: ['optional', text()],
    geo_location: ['optional', text()],
    license: ['optional', 'URL'],
  },
  'hreflang[0]': {
    href: ['required', 'URL of the page in that language'],
    hreflang: ['required', 'language code, or `x-default`'],
  },
  news: {
    publication: ['required', 'the newspaper or magazine'],
    publication_date: ['required', 'date; any age is accepted'],
    title: ['required', requiredText()],
    keywords: ['optional', text()],
    stock_tickers: [
      'optional',
      `up to ${MAX_STOCK_TICKERS} stock tickers, separated by commas; may be empty`,
    ],
  },
  'news.publication': {
    name: ['required', requiredText()],
    language: ['required', 'two or three letters, or `zh-cn` or `zh-tw`'],
  },
  video: {
    thumbnail_loc: ['required', 'URL of a picture'],
    title: ['required', requiredText(MAX_VIDEO_TITLE_LENGTH)],
    description: ['required', requiredText(MAX_VIDEO_DESCRIPTION_LENGTH)],
    content_loc: ['optional', 'URL of the video itself; this or `player_loc` must be there'],
    player_loc: ['optional', 'URL of a player for it'],
    duration: ['optional', `whole number of seconds, 1 to ${number(MAX_VIDEO_DURATION_S)}`],
    view_count: ['optional', `whole number, 0 to ${number(Number.MAX_SAFE_INTEGER)}`],
    rating: ['optional', `number, 0 to ${MAX_VIDEO_RATING}, at most ${MAX_DECIMAL_PLACES} decimal places`],
    publication_date: ['optional', 'date'],
    expiration_date: ['optional', 'date'],
    family_friendly: ['optional', '`true` or `false`'],
    live: ['optional', '`true` or `false`'],
    tag: ['optional', `list of up to ${MAX_VIDEO_TAGS} texts of 1 to ${number(MAX_TEXT_LENGTH)} characters`],
    category: ['optional', text(MAX_VIDEO_CATEGORY_LENGTH)],
    uploader: ['optional', 'who uploaded it'],
  },
  'video.uploader': {
    name: ['required', requiredText(MAX_UPLOADER_NAME_LENGTH)],
    info: ['optional', 'URL of a page about the uploader'],
  },
};
