/** The types of a sitemap's entries in JSON. The service checks them. docs/FORMAT.md has every rule. */

/** A URL of a sitemap. Members that the service does not know are ignored. */
export interface Entry {
  /** An absolute URL, http or https. */
  readonly loc: string;
  /** A date, or a date and time with its zone, as in `2026-01-15` or `2026-01-15T10:00:00Z`. */
  readonly lastmod?: string | null;
  readonly changefreq?: ChangeFrequency | null;
  /** From 0 to 1. */
  readonly priority?: number | null;
  readonly images?: readonly Image[] | null;
  /** The addresses of the same page in other languages. */
  readonly hreflang?: readonly Alternate[] | null;
  readonly news?: News | null;
  readonly video?: Video | null;
}

export type ChangeFrequency = 'always' | 'hourly' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'never';

export interface Image {
  readonly loc: string;
  readonly title?: string | null;
  readonly caption?: string | null;
  readonly geo_location?: string | null;
  readonly license?: string | null;
}

export interface Alternate {
  readonly href: string;
  /** A language, with a script or region if needed, or `x-default`. */
  readonly hreflang: string;
}

export interface News {
  readonly publication: { readonly name: string; readonly language: string };
  readonly publication_date: string;
  readonly title: string;
  readonly keywords?: string | null;
  readonly stock_tickers?: string | null;
}

/** Needs `content_loc` or `player_loc`. */
export interface Video {
  readonly thumbnail_loc: string;
  readonly title: string;
  readonly description: string;
  readonly content_loc?: string | null;
  readonly player_loc?: string | null;
  /** In seconds. */
  readonly duration?: number | null;
  readonly view_count?: number | null;
  /** From 0 to 5. */
  readonly rating?: number | null;
  readonly publication_date?: string | null;
  readonly expiration_date?: string | null;
  readonly family_friendly?: boolean | null;
  readonly live?: boolean | null;
  readonly tag?: readonly string[] | null;
  readonly category?: string | null;
  readonly uploader?: { readonly name: string; readonly info?: string | null } | null;
}
