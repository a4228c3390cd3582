/** The XML of Google's extensions: images, news and video. Elements are in the order of the XSDs. */
import type { Image, News, Video } from './entry.ts';
import { plainDecimal } from './plain-decimal.ts';
import { escapeAttribute, escapeText } from './xml-text.ts';

export function renderImage(image: Image): string {
  const elements =
    element('image:loc', image.loc) +
    element('image:caption', image.caption) +
    element('image:geo_location', image.geo_location) +
    element('image:title', image.title) +
    element('image:license', image.license);
  return `<image:image>${elements}</image:image>`;
}

export function renderNews(news: News): string {
  const publication =
    element('news:name', news.publication.name) + element('news:language', news.publication.language);
  const elements =
    `<news:publication>${publication}</news:publication>` +
    element('news:publication_date', news.publication_date) +
    element('news:title', news.title) +
    element('news:keywords', news.keywords) +
    element('news:stock_tickers', news.stock_tickers);
  return `<news:news>${elements}</news:news>`;
}

export function renderVideo(video: Video): string {
  const elements =
    element('video:thumbnail_loc', video.thumbnail_loc) +
    element('video:title', video.title) +
    element('video:description', video.description) +
    element('video:content_loc', video.content_loc) +
    element('video:player_loc', video.player_loc) +
    element('video:duration', video.duration) +
    element('video:expiration_date', video.expiration_date) +
    element('video:rating', video.rating) +
    element('video:view_count', video.view_count) +
    element('video:publication_date', video.publication_date) +
    (video.tag ?? []).map((tag) => element('video:tag', tag)).join('') +
    element('video:category', video.category) +
    element('video:family_friendly', video.family_friendly) +
    uploader(video.uploader) +
    element('video:live', video.live);
  return `<video:video>${elements}</video:video>`;
}

function uploader(given: Video['uploader']): string {
  if (given === undefined) return '';
  const attribute = given.info === undefined ? '' : ` info="${escapeAttribute(given.info)}"`;
  return `<video:uploader${attribute}>${escapeText(given.name)}</video:uploader>`;
}

/** The element, or nothing if the value is undefined. Zero, false and the empty text are values. */
function element(name: string, value: string | number | boolean | undefined): string {
  if (value === undefined) return '';
  return `<${name}>${content(value)}</${name}>`;
}

function content(value: string | number | boolean): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return plainDecimal(value);
  return value ? 'yes' : 'no';
}
