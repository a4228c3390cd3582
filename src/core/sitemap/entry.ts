/**
 * The normative definition of an entry, an object in `urls`. Validation, types and the API's description follow
 * from it. Unknown members are dropped. The output is normalised and ready to render.
 */
import { z } from 'zod';
import { isSitemapDate } from './date.ts';
import {
  integerBetween,
  listOf,
  mustBe,
  numberBetween,
  optional,
  requiredText,
  stringOfForm,
  text,
  url,
} from './field-schemas.ts';
import { isLanguageTag } from './language-tag.ts';
import {
  MAX_ALTERNATES,
  MAX_IMAGES,
  MAX_STOCK_TICKERS,
  MAX_UPLOADER_NAME_LENGTH,
  MAX_VIDEO_CATEGORY_LENGTH,
  MAX_VIDEO_DESCRIPTION_LENGTH,
  MAX_VIDEO_DURATION_S,
  MAX_VIDEO_RATING,
  MAX_VIDEO_TAGS,
  MAX_VIDEO_TITLE_LENGTH,
  MIN_LOC_LENGTH,
} from './limits.ts';
import { isNewsLanguage, isStockTickers } from './news-codes.ts';

const date = stringOfForm(
  'sitemap-date',
  'a date like 2026-01-15, or a date and time with a zone like 2026-01-15T10:00:00Z',
  isSitemapDate,
);
const languageTag = stringOfForm(
  'language-tag',
  'x-default or ISO codes like en, en-GB, zh-Hant or zh-Hant-TW',
  isLanguageTag,
);
const newsLanguage = stringOfForm(
  'news-language',
  'a language code of 2 or 3 letters, zh-cn or zh-tw',
  isNewsLanguage,
);
const stockTickers = stringOfForm(
  'stock-tickers',
  `up to ${MAX_STOCK_TICKERS} comma-separated tickers like NASDAQ:GOOG`,
  isStockTickers,
);
const boolean = z.boolean(mustBe('true or false'));

const changefreqs = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'] as const;

const imageSchema = z.object(
  {
    loc: url(),
    title: optional(text()),
    caption: optional(text()),
    geo_location: optional(text()),
    license: optional(url()),
  },
  mustBe('an object with the loc of an image'),
);

const alternateSchema = z.object(
  { href: url(), hreflang: languageTag },
  mustBe('an object with href and hreflang'),
);

const newsSchema = z.object(
  {
    publication: z.object(
      { name: requiredText(), language: newsLanguage.toLowerCase() },
      mustBe('an object with name and language'),
    ),
    publication_date: date,
    title: requiredText(),
    keywords: optional(text()),
    stock_tickers: optional(stockTickers),
  },
  mustBe('an object with publication, publication_date and title'),
);

const videoSchema = z
  .object(
    {
      thumbnail_loc: url(),
      title: requiredText(MAX_VIDEO_TITLE_LENGTH),
      description: requiredText(MAX_VIDEO_DESCRIPTION_LENGTH),
      content_loc: optional(url()),
      player_loc: optional(url()),
      duration: optional(integerBetween(1, MAX_VIDEO_DURATION_S)),
      view_count: optional(integerBetween(0, Number.MAX_SAFE_INTEGER)),
      rating: optional(numberBetween(0, MAX_VIDEO_RATING)),
      publication_date: optional(date),
      expiration_date: optional(date),
      family_friendly: optional(boolean),
      live: optional(boolean),
      tag: optional(listOf(requiredText(), MAX_VIDEO_TAGS)),
      category: optional(text(MAX_VIDEO_CATEGORY_LENGTH)),
      // The name is the content of the element and `info` an attribute, so an uploader needs a name.
      uploader: optional(
        z.object(
          { name: requiredText(MAX_UPLOADER_NAME_LENGTH), info: optional(url()) },
          mustBe('an object with the name of the uploader'),
        ),
      ),
    },
    mustBe('an object with thumbnail_loc, title, description, and content_loc or player_loc'),
  )
  .refine((video) => video.content_loc !== undefined || video.player_loc !== undefined, {
    error: 'must have at least one of content_loc and player_loc',
    // Report this together with the faults of other members.
    when: () => true,
  })
  .meta({
    // A null member counts as absent.
    anyOf: ['content_loc', 'player_loc'].map((name) => ({
      required: [name],
      properties: { [name]: { type: 'string' } },
    })),
  });

export const entrySchema = z.object(
  {
    loc: url(MIN_LOC_LENGTH),
    lastmod: optional(date),
    changefreq: optional(z.enum(changefreqs, mustBe(`one of ${changefreqs.join(', ')}`))),
    priority: optional(numberBetween(0, 1)),
    images: optional(listOf(imageSchema, MAX_IMAGES)),
    hreflang: optional(listOf(alternateSchema, MAX_ALTERNATES)),
    news: optional(newsSchema),
    video: optional(videoSchema),
  },
  mustBe('an object with at least a loc, such as {"loc":"https://www.example.com/"}'),
);

/** A validated, normalised entry. An optional member is absent or undefined, never null. */
export type Entry = z.output<typeof entrySchema>;
